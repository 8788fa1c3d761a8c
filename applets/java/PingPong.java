import static unet.Nic.*;

/**
 * Answers packets inside the NIC: the host at the far end never sees one, nor does the host that
 * began see the answer.
 *
 * <p>The user at one end sends a message, the ping. The applet at the other end turns its first byte
 * into {@link #PONG} and sends it back from {@link #RxBuf}, without any DMA. A pong is not answered,
 * so each message makes one round trip however many are under way, and a duplicated packet starts
 * no endless exchange. From {@code wire-tx} of a ping to {@code wire-rx} of its pong pass twice the
 * wire's time and once the far NIC's.
 */
public class PingPong {
    /** First byte of an answer. No UTF-8 text begins with it. */
    static final byte PONG = (byte) 0xff;

    /** The longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** The arrived packet; the NIC sets this field. */
    private byte[] RxBuf;

    /** The packet to be sent. */
    private final byte[] txBuf = newAlignedArray(MAX_PACKET);

    /** How many pongs came back to this end. */
    private int roundTrips;

    /** Sends the user's message as it is: a ping, unless it begins with {@link #PONG}. */
    int doTx(int length, int channel, int offset) {
        doHtoLDMA(txBuf, 0, offset, length);
        txPush(txBuf, 0, channel, length);
        return 0;
    }

    /** Answers a ping, counts a pong; returns how many round trips this end has seen complete. */
    int doRx(int length, int channel) {
        if (length == 0) {
            // Without a first byte an answer could not be told from a question.
            return roundTrips;
        }
        if (RxBuf[0] == PONG) {
            roundTrips++;
        } else {
            RxBuf[0] = PONG;
            txPush(RxBuf, 0, channel, length);
        }
        return roundTrips;
    }
}
