import static unet.Nic.*;

/**
 * Sends each message of the user {@link #BURST} times: many packets for a single request and a
 * single transmit-side DMA. Delivers each packet that arrives.
 */
public class Burst25 {
    /** Number of packets for each request. */
    static final int BURST = 25;

    /** Longest message that fits in a receive descriptor, in bytes. */
    static final int INLINE_MAX = 56;

    /** Longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final byte[] TX_BUF = newAlignedArray(MAX_PACKET);
    static final int[] BUFFERS = new int[1];
    static final int BUFFER_LENGTH = getFreeBufferLength();

    /** Fetches the message once and sends it {@link #BURST} times. Returns that number. */
    static int doTx(int length, int channel, int offset) {
        doHtoLDMA(TX_BUF, 0, offset, length);
        for (int i = 0; i < BURST; i++) {
            txPush(TX_BUF, 0, channel, length);
        }
        return BURST;
    }

    /** Delivers a message in the descriptor or in a free buffer. Drops a message that is too long. */
    static int doRx(int length, int channel) {
        if (length <= INLINE_MAX) {
            dmaRxdPayload(RxBuf, channel, length);
        } else if (length <= BUFFER_LENGTH) {
            int buffer = getFreeBuffer();
            if (buffer != -1) {
                doLtoHDMA(RxBuf, 0, buffer, length);
                BUFFERS[0] = buffer;
                dmaRxd(BUFFERS, channel, length);
            }
        }
        return 0;
    }
}
