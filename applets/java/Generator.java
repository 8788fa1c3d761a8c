import static unet.Nic.*;

/**
 * Makes the data that it sends, so that nothing comes from the host: the user's descriptor says how
 * much and to whom, and no transmit-side DMA takes place. What arrives is delivered.
 */
public class Generator {
    /** The longest message that a receive descriptor carries itself, in bytes. */
    static final int INLINE_MAX = 56;

    /** The longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** The arrived packet; the NIC sets this field. */
    static byte[] RxBuf;

    static final byte[] TX_BUF = newAlignedArray(MAX_PACKET);
    static final int[] BUFFERS = new int[1];
    static final int BUFFER_LENGTH = getFreeBufferLength();

    /** Number of the packet that is made next; its low byte is the packet's first. */
    static int number;

    /** Sends {@code length} bytes of its own; returns how many packets it has made. */
    static int doTx(int length, int channel, int offset) {
        TX_BUF[0] = (byte) number;
        txPush(TX_BUF, 0, channel, length);
        number++;
        return number;
    }

    /** Delivers a message in one free buffer, or in the descriptor; drops one that fits neither. */
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
