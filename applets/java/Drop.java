import static unet.Nic.*;

/**
 * A filter: drops packets whose first byte is {@link #UNWANTED} in the NIC, before any DMA, so that
 * they cost the host nothing. Delivers all other packets like {@code RawUnet}.
 */
public class Drop {
    /** First byte of the packets to drop. */
    static final byte UNWANTED = 'x';

    /** Longest message that fits in a receive descriptor, in bytes. */
    static final int INLINE_MAX = 56;

    /** Most buffers of a receive descriptor. */
    static final int BUFFERS_MAX = 14;

    /** Longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final byte[] TX_BUF = newAlignedArray(MAX_PACKET);
    static final int[] SHARES = new int[BUFFERS_MAX];
    static final int[] SPARE = new int[BUFFERS_MAX];
    static final int BUFFER_LENGTH = getFreeBufferLength();
    static int spares;

    /** Number of packets dropped so far. */
    static int dropped;

    /** Sends the user's message unchanged. The filter applies only to arriving packets. */
    static int doTx(int length, int channel, int offset) {
        doHtoLDMA(TX_BUF, 0, offset, length);
        txPush(TX_BUF, 0, channel, length);
        return 0;
    }

    /** Drops or delivers the packet. Returns the number of packets dropped so far. */
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
     * Delivers a message in free buffers, or drops it if there are too few. A copy of the code in
     * {@code RawUnet}, because an applet is a single class. The comments are there.
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
     * Pops free buffers until {@code needed} buffers are spare, or the free queue is empty. Returns
     * the number of spare buffers.
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
