import static unet.Nic.*;

/**
 * The semantics of standard U-Net on a NIC that receives directly into free buffers: sends the
 * user's messages unchanged, and delivers packets where they are.
 *
 * <p>A message of up to {@link #INLINE_MAX} bytes is delivered in the receive descriptor itself,
 * from the header that the NIC keeps, so the NIC must keep as many bytes. Its buffer goes back to
 * the free queue.
 */
public class DirectUnet {
    /** Longest message that fits in a receive descriptor, in bytes. */
    static final int INLINE_MAX = 56;

    /** Longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** The packet to send. Allocated once and reused, because NIC memory is limited. */
    static byte[] TxBuf;

    /** A short message. */
    static byte[] message;

    /** The offset of a message's buffer, for {@code dmaRxd}. */
    static int[] buffer;

    /** Allocates all arrays. They live as long as the applet. */
    DirectUnet() {
        TxBuf = newAlignedArray(MAX_PACKET);
        message = newAlignedArray(INLINE_MAX);
        buffer = new int[1];
    }

    /** Sends {@code length} bytes at {@code offset} of the buffer area for the user. */
    static int doTx(int length, int channel, int offset) {
        doHtoLDMA(TxBuf, 0, offset, length);
        txPush(TxBuf, 0, channel, length);
        return 0;
    }

    /** Delivers the packet of {@code length} bytes, which lies in a free buffer. */
    static int doRx(int length, int channel) {
        if (length <= INLINE_MAX) {
            peek(message, 0, 0, length);
            dmaRxdPayload(message, channel, length);
            return 0;
        }
        buffer[0] = rxOffset();
        dmaRxd(buffer, channel, length);
        return 0;
    }
}
