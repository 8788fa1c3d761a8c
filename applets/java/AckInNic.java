import static unet.Nic.*;

/**
 * Exchanges acknowledgements between two applets, without the users' hosts. The receiver
 * acknowledges every {@link #BURST}th packet, and the sender's applet consumes the acknowledgement.
 *
 * <p>An acknowledgement is an empty packet. To tell acknowledgements from messages, the applet does
 * not send empty messages of the user. All channels of the endpoint share a single count, so the
 * applet is meant for an endpoint with a single channel.
 */
public class AckInNic {
    /** Number of packets for each acknowledgement. */
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

    /** Packets that arrived since this applet last sent an acknowledgement. */
    static int arrived;

    /** Acknowledgements received so far. */
    static int acknowledged;

    /** Sends the user's message unchanged. */
    static int doTx(int length, int channel, int offset) {
        if (length > 0) {
            doHtoLDMA(TX_BUF, 0, offset, length);
            txPush(TX_BUF, 0, channel, length);
        }
        return 0;
    }

    /**
     * Counts an acknowledgement, or delivers a message and acknowledges the last of a burst. Returns
     * the number of acknowledgements received so far.
     */
    static int doRx(int length, int channel) {
        if (length == 0) {
            acknowledged++;
            return acknowledged;
        }
        deliver(length, channel);
        arrived++;
        if (arrived == BURST) {
            arrived = 0;
            txPush(RxBuf, 0, channel, 0);
        }
        return acknowledged;
    }

    /** Delivers a message in the descriptor or in a free buffer. Drops a message that is too long. */
    private static void deliver(int length, int channel) {
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
    }
}
