import static unet.Nic.*;

/**
 * Acknowledges packets between applets, without either user's help: every {@link #BURST}th packet
 * that arrives is answered, and the answer is taken out on the other NIC.
 *
 * <p>An acknowledgement is a packet of no bytes, so that no message can be taken for one; an empty
 * message of the user's is not sent. One count serves all channels of the endpoint: the applet is
 * meant for an endpoint with one.
 */
public class AckInNic {
    /** Packets for each acknowledgement. */
    static final int BURST = 25;

    /** The longest message that a receive descriptor carries itself, in bytes. */
    static final int INLINE_MAX = 56;

    /** The longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** The arrived packet; the NIC sets this field. */
    static byte[] RxBuf;

    static final byte[] TX_BUF = newAlignedArray(MAX_PACKET);
    static final int[] BUFFERS = new int[1];
    static final int BUFFER_LENGTH = getFreeBufferLength();

    /** Packets that arrived since the last acknowledgement was sent. */
    static int arrived;

    /** Acknowledgements that came back. */
    static int acknowledged;

    /** Sends the user's message as it is. */
    static int doTx(int length, int channel, int offset) {
        if (length > 0) {
            doHtoLDMA(TX_BUF, 0, offset, length);
            txPush(TX_BUF, 0, channel, length);
        }
        return 0;
    }

    /**
     * Counts an acknowledgement, or delivers a message and acknowledges the last of a burst; returns
     * how many acknowledgements came back.
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

    /** Delivers a message in one free buffer, or in the descriptor; drops one that fits neither. */
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
