import static unet.Nic.*;

/**
 * The semantics of standard U-Net, as an applet: what the user sends goes out as it is, and what
 * arrives is put into the user's free buffers.
 *
 * <p>A message of up to {@link #INLINE_MAX} bytes travels in the receive descriptor itself. A
 * longer one takes as many free buffers as it needs, all or none: where one is missing, the packet
 * is dropped, as U-Net does.
 */
public class RawUnet {
    /** The longest message that a receive descriptor carries itself, in bytes. */
    static final int INLINE_MAX = 56;

    /** The most buffers that one receive descriptor names. */
    static final int BUFFERS_MAX = 14;

    /** The longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** The arrived packet; the NIC sets this field. */
    static byte[] RxBuf;

    /** The packet to be sent. It lies in NIC memory, so it is made once and used for every send. */
    static byte[] TxBuf;

    /** The offsets of one message's buffers, for {@code dmaRxd}. */
    static int[] shares;

    /**
     * Buffers that were popped for a message and not used: {@code spare[0]} to
     * {@code spare[spares - 1]}. No native puts a buffer back on the free queue, so they wait here
     * for the next message.
     */
    static int[] spare;

    /** How many buffers wait in {@link #spare}. */
    static int spares;

    /** Bytes in each free buffer. */
    static int bufferLength;

    /** Makes everything that lives as long as the applet. */
    RawUnet() {
        TxBuf = newAlignedArray(MAX_PACKET);
        shares = new int[BUFFERS_MAX];
        spare = new int[BUFFERS_MAX];
        bufferLength = getFreeBufferLength();
    }

    /** The user wants {@code length} bytes at {@code offset} of the buffer area sent. */
    static int doTx(int length, int channel, int offset) {
        doHtoLDMA(TxBuf, 0, offset, length);
        txPush(TxBuf, 0, channel, length);
        return 0;
    }

    /** A packet of {@code length} bytes has arrived and lies in {@link #RxBuf}. */
    static int doRx(int length, int channel) {
        if (length <= INLINE_MAX) {
            dmaRxdPayload(RxBuf, channel, length);
            return 0;
        }
        int needed = (length + bufferLength - 1) / bufferLength;
        if (needed > BUFFERS_MAX) {
            return 0;
        }
        int have = reserve(needed);
        if (have < needed) {
            spares = have;
            return 0;
        }

        int left = have - needed;
        int done = 0;
        for (int i = 0; i < needed; i++) {
            int share = length - done;
            if (share > bufferLength) {
                share = bufferLength;
            }
            shares[i] = spare[left + i];
            doLtoHDMA(RxBuf, done, shares[i], share);
            done += share;
        }
        // Only here, because the NIC takes back what a call popped if the call is cut short; and
        // before the descriptor, because a lost buffer does less harm than one used twice.
        spares = left;
        dmaRxd(shares, channel, length);
        return 0;
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
            spare[have] = offset;
            have++;
        }
        return have;
    }
}
