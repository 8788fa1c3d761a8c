import static unet.Nic.*;

/**
 * A filter: packets whose first byte is {@link #UNWANTED} cost the host nothing, because the NIC
 * drops them before any DMA. All others are delivered as {@code RawUnet} delivers them.
 */
public class Drop {
    /** First byte of the packets to be dropped. */
    static final byte UNWANTED = 'x';

    /** The longest message that a receive descriptor carries itself, in bytes. */
    static final int INLINE_MAX = 56;

    /** The most buffers that one receive descriptor names. */
    static final int BUFFERS_MAX = 14;

    /** The longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** The arrived packet; the NIC sets this field. */
    static byte[] RxBuf;

    static final byte[] TX_BUF = newAlignedArray(MAX_PACKET);
    static final int[] SHARES = new int[BUFFERS_MAX];
    static final int[] SPARE = new int[BUFFERS_MAX];
    static final int BUFFER_LENGTH = getFreeBufferLength();
    static int spares;

    /** How many packets were dropped. */
    static int dropped;

    /** Sends the user's message as it is: only what arrives is filtered. */
    static int doTx(int length, int channel, int offset) {
        doHtoLDMA(TX_BUF, 0, offset, length);
        txPush(TX_BUF, 0, channel, length);
        return 0;
    }

    /** Drops the packet or delivers it; returns how many packets were dropped so far. */
    static int doRx(int length, int channel) {
        if (length > 0 && RxBuf[0] == UNWANTED) {
            dropped++;
        } else if (length <= INLINE_MAX) {
            dmaRxdPayload(RxBuf, channel, length);
        } else {
            deliver(length, channel);
        }
        return dropped;
    }

    /**
     * Delivers a message in free buffers, all or none. An applet is one class, so this is
     * {@code RawUnet}'s way of doing it once more; its reasons are given there.
     */
    private static void deliver(int length, int channel) {
        int needed = (length + BUFFER_LENGTH - 1) / BUFFER_LENGTH;
        if (needed > BUFFERS_MAX) {
            return;
        }
        int have = reserve(needed);
        if (have < needed) {
            spares = have;
            return;
        }
        int left = have - needed;
        int done = 0;
        for (int i = 0; i < needed; i++) {
            int share = length - done;
            if (share > BUFFER_LENGTH) {
                share = BUFFER_LENGTH;
            }
            SHARES[i] = SPARE[left + i];
            doLtoHDMA(RxBuf, done, SHARES[i], share);
            done += share;
        }
        spares = left;
        dmaRxd(SHARES, channel, length);
    }

    /**
     * Pops buffers until {@code needed} are spare or the free queue is empty; returns how many are
     * spare then.
     */
    private static int reserve(int needed) {
        int have = spares;
        while (have < needed) {
            int offset = getFreeBuffer();
            if (offset == -1) {
                return have;
            }
            SPARE[have] = offset;
            have++;
        }
        return have;
    }
}
