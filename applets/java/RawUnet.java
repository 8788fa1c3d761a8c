import static unet.Nic.*;

/**
 * The semantics of standard U-Net, as an applet: sends the user's messages unchanged, and delivers
 * packets in the user's free buffers.
 *
 * <p>A message of up to {@link #INLINE_MAX} bytes is delivered in the receive descriptor itself. A
 * longer message takes as many free buffers as it needs. If there are too few, the applet drops the
 * packet, as U-Net does.
 */
public class RawUnet {
    /** Longest message that fits in a receive descriptor, in bytes. */
    static final int INLINE_MAX = 56;

    /** Most buffers of a receive descriptor. */
    static final int BUFFERS_MAX = 14;

    /** Longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    /** The packet to send. Allocated once and reused, because NIC memory is limited. */
    static byte[] TxBuf;

    /** The offsets of a message's buffers, for {@code dmaRxd}. */
    static int[] shares;

    /**
     * Buffers that were popped for a message but not used: {@code spare[0]} to
     * {@code spare[spares - 1]}. No native returns a buffer to the free queue, so the next message
     * uses them.
     */
    static int[] spare;

    /** Number of buffers in {@link #spare}. */
    static int spares;

    /** Length of a free buffer, in bytes. */
    static int bufferLength;

    /** Allocates all arrays. They live as long as the applet. */
    RawUnet() {
        TxBuf = newAlignedArray(MAX_PACKET);
        shares = new int[BUFFERS_MAX];
        spare = new int[BUFFERS_MAX];
        bufferLength = getFreeBufferLength();
    }

    /** Sends {@code length} bytes at {@code offset} of the buffer area for the user. */
    static int doTx(int length, int channel, int offset) {
        doHtoLDMA(TxBuf, 0, offset, length);
        txPush(TxBuf, 0, channel, length);
        return 0;
    }

    /** Delivers the packet of {@code length} bytes in {@link #RxBuf}. */
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
        // Change spares after the DMA, because the NIC takes back popped buffers if the DMA traps.
        // Change spares before dmaRxd, because losing a buffer does less harm than reusing it.
        spares = left;
        dmaRxd(shares, channel, length);
        return 0;
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
            spare[have] = offset;
            have++;
        }
        return have;
    }
}
