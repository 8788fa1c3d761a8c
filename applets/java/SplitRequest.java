import static unet.Nic.*;

/**
 * Long messages for a VI: a message longer than its receive descriptor continues in the next ones
 * ("VIA over the CLAN network", extension 2). It takes all descriptors that it needs, or none.
 *
 * <pre>
 *  packet:       |  first share  |  second share  | rest |
 *                        |               |            |
 *  descriptors:  |    posted 1   |    posted 2    |   posted 3    |
 * </pre>
 *
 * <p>Only the receiver needs this applet. The sender's messages are whole packets.
 */
public class SplitRequest {
    /** Maximum number of descriptors that a message takes. */
    static final int SHARES_MAX = 14;

    /** Longest message that {@code doTx} sends, in bytes. */
    static final int MESSAGE_MAX = 9000;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final byte[] TX_BUF = newAlignedArray(MESSAGE_MAX);

    /** Length of a descriptor's buffer. */
    static final int SHARE = getFreeBufferLength();

    /** Buffers of descriptors that were taken for a message and that it did not use. */
    static final int[] TAKEN = new int[SHARES_MAX];
    static int taken;

    /** Counters: messages of the user that are too long, and packets without enough descriptors. */
    static int refused, overrun;

    /** Sends a message as one packet. */
    static int doTx(int length, int channel, int offset) {
        if (length > MESSAGE_MAX) {
            return -++refused;
        }
        doHtoLDMA(TX_BUF, 0, offset, length);
        txPush(TX_BUF, 0, channel, length);
        return 1;
    }

    /** Divides a message among as many descriptors as it needs. */
    static int doRx(int length, int channel) {
        int needed = shares(length);
        if (needed > SHARES_MAX) {
            return -++overrun;
        }
        for (int i = 0; i < SHARES_MAX && taken < needed; i++) {
            int buffer = getFreeBuffer();
            if (buffer == -1) {
                // The next message uses what this one has taken.
                return -++overrun;
            }
            TAKEN[taken++] = buffer;
        }
        int from = 0;
        for (int i = 0; i < needed; i++) {
            int rest = length - from;
            int bytes = rest < SHARE ? rest : SHARE;
            doLtoHDMA(RxBuf, from, TAKEN[i], bytes);
            from += bytes;
        }
        dmaRxd(TAKEN, channel, length);
        taken -= needed;
        for (int i = 0; i < taken; i++) {
            TAKEN[i] = TAKEN[i + needed];
        }
        return needed;
    }

    /** Returns how many descriptors a message needs. */
    private static int shares(int length) {
        if (length <= SHARE) {
            return 1;
        }
        return SHARE == 0 ? SHARES_MAX + 1 : (length - 1) / SHARE + 1;
    }
}
