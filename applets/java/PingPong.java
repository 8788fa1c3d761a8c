import static unet.Nic.*;

/**
 * Answers packets inside the NIC. The remote host does not see the packets, and the sending host
 * does not see the replies.
 *
 * <p>The user at one end sends a message, the ping. The applet at the other end replaces its first
 * byte by {@link #PONG} and sends it back from {@link #RxBuf}, without any DMA. Pongs are not
 * answered, so each message makes exactly one round trip, and a duplicated packet cannot start an
 * endless exchange. The time from {@code wire-tx} of a ping to {@code wire-rx} of its pong is twice
 * the time on the wire, plus the time in the remote NIC.
 */
public class PingPong {
    /** First byte of a reply. UTF-8 text never starts with it. */
    static final byte PONG = (byte) 0xff;

    /** Longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** The packet that arrived. The NIC sets this field. */
    private byte[] RxBuf;

    /** The packet to send. */
    private final byte[] txBuf = newAlignedArray(MAX_PACKET);

    /** Number of pongs that this end has received. */
    private int roundTrips;

    /** Sends the user's message unchanged: a ping, unless it starts with {@link #PONG}. */
    int doTx(int length, int channel, int offset) {
        doHtoLDMA(txBuf, 0, offset, length);
        txPush(txBuf, 0, channel, length);
        return 0;
    }

    /** Answers a ping, or counts a pong. Returns the number of round trips of this end. */
    int doRx(int length, int channel) {
        if (length == 0) {
            // An empty packet has no first byte that could mark a reply.
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
