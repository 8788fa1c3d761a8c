import static unet.Nic.*;

/**
 * Flow control by tokens: each message costs the sender a token. On each channel it begins with
 * {@link #WINDOW} tokens, and gets one back for each buffer that the peer's user returns. So the
 * receiver has a buffer for every message. {@code doRefill} returns tokens without any host.
 *
 * <pre>
 *  a message:  | payload, 0 to 4,000 bytes | 1 |        tokens:  | count | 2 |
 *
 *  sender            receiver          its user
 *    |--- payload, 1 -->|--- descriptor -->|
 *    |                  |<---- buffer -----|      doRefill
 *    |<-- count, 2 -----|                  |      after WINDOW / 2 buffers
 * </pre>
 *
 * <p>For each channel, the receiver needs WINDOW free buffers and receive descriptors, and one of
 * the two NICs WINDOW + 3 arrival slots. Links may not lose packets: a lost token never returns.
 *
 * <p>Without a token, a message waits in a queue of the NIC. When the queue is full, the message is
 * refused: the user gets its number, counted from 0, as a descriptor on channel {@code ~channel}.
 */
public class TokenFlow {
    /** Number of channels. Packets and messages of further channels are refused. */
    static final int CHANNELS = 8;

    /** Longest message that fits in a receive descriptor, in bytes. */
    static final int INLINE_MAX = 56;

    /** Longest message, in bytes. */
    static final int MESSAGE_MAX = 4000;

    /** Last byte of a packet. */
    static final byte MESSAGE = 1, TOKENS = 2;

    /** Messages on each channel for which the receiver keeps buffers, 1 to 64. The host sets it. */
    static int WINDOW = 4;

    /** Messages that wait for tokens, of all channels together, and bytes for each of them. */
    static int QUEUE = 8, SLOT = 1024;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final int LIMIT = limited(WINDOW, 1, 64);
    static final int PLACES = limited(QUEUE, 0, 64);
    static final int SPACE = limited(SLOT, 1, MESSAGE_MAX) + 1;

    static final byte[] TX_BUF = newAlignedArray(MESSAGE_MAX + 1);
    static final byte[] QUEUED = new byte[PLACES * SPACE];
    static final int[] QUEUED_LENGTH = new int[PLACES], QUEUED_ROW = new int[PLACES];
    static final byte[] NOTICE = newAlignedArray(4);
    static final int[] BUFFERS = new int[1];
    static final int BUFFER_LENGTH = getFreeBufferLength();

    /** For each channel: its number, the messages posted, and the tokens to send with. */
    static final int[] NUMBER = new int[CHANNELS], POSTED = new int[CHANNELS];
    static final int[] TOKENS_LEFT = new int[CHANNELS];

    /** For each channel: messages that the user has not given back, and tokens to return. */
    static final int[] HELD = new int[CHANNELS], OWED = new int[CHANNELS];

    /** Number of channels in use, and of messages in the queue. */
    static int rows, queued;
    /** Counters: refused messages of the user, packets beyond the window, and malformed packets. */
    static int refused, overrun, malformed;

    /** Sends a message if its channel has a token and no message before it waits. */
    static int doTx(int length, int channel, int offset) {
        int row = row(channel);
        if (row == -1 || length > MESSAGE_MAX) {
            return refuse(row, channel);
        }
        if (TOKENS_LEFT[row] > 0 && !isQueued(row)) {
            TOKENS_LEFT[row]--;
            doHtoLDMA(TX_BUF, 0, offset, length);
            TX_BUF[length] = MESSAGE;
            txPush(TX_BUF, 0, channel, length + 1);
        } else if (queued < PLACES && length < SPACE) {
            doHtoLDMA(QUEUED, queued * SPACE, offset, length);
            QUEUED[queued * SPACE + length] = MESSAGE;
            QUEUED_LENGTH[queued] = length + 1;
            QUEUED_ROW[queued] = row;
            queued++;
        } else {
            return refuse(row, channel);
        }
        POSTED[row]++;
        return 1;
    }

    /** Delivers a message, or takes tokens and sends the messages that waited for them. */
    static int doRx(int length, int channel) {
        int row = row(channel);
        byte kind = length > 0 ? RxBuf[length - 1] : 0;
        if (row != -1 && kind == MESSAGE) {
            return receive(row, length - 1, channel);
        }
        int count = length == 2 ? RxBuf[0] & 0xff : 0;
        // More tokens than the window can only come from a faulty peer.
        if (row == -1 || kind != TOKENS || count == 0 || count > LIMIT - TOKENS_LEFT[row]) {
            return -++malformed;
        }
        TOKENS_LEFT[row] += count;
        sendQueued();
        return count;
    }

    /** The user has given a buffer back, which is a token for the peer. */
    static int doRefill(int length, int channel, int offset) {
        int row = row(channel);
        if (row == -1 || HELD[row] == 0) return 0;
        HELD[row]--;
        OWED[row]++;
        // Half a window at once saves packets, and the other half keeps the sender busy meanwhile.
        if (2 * OWED[row] >= LIMIT) {
            NOTICE[0] = (byte) OWED[row];
            NOTICE[1] = TOKENS;
            OWED[row] = 0;
            txPush(NOTICE, 0, channel, 2);
        }
        return 1;
    }

    /** Delivers a message of {@code length} bytes, unless the peer has exceeded the window. */
    private static int receive(int row, int length, int channel) {
        if (HELD[row] + OWED[row] >= LIMIT) {
            return -++overrun;
        }
        if (length > INLINE_MAX) {
            BUFFERS[0] = length <= BUFFER_LENGTH ? getFreeBuffer() : -1;
            if (BUFFERS[0] == -1) {
                return -++overrun;
            }
        }
        HELD[row]++;
        if (length <= INLINE_MAX) {
            dmaRxdPayload(RxBuf, channel, length);
        } else {
            doLtoHDMA(RxBuf, 0, BUFFERS[0], length);
            dmaRxd(BUFFERS, channel, length);
        }
        return 1;
    }

    /** Sends queued messages whose channels have tokens, and closes the gaps in the queue. */
    private static void sendQueued() {
        int kept = 0;
        for (int i = 0; i < queued; i++) {
            int row = QUEUED_ROW[i];
            if (TOKENS_LEFT[row] > 0) {
                TOKENS_LEFT[row]--;
                txPush(QUEUED, i * SPACE, NUMBER[row], QUEUED_LENGTH[i]);
            } else {
                int length = QUEUED_LENGTH[i];
                for (int at = 0; at < length; at++) QUEUED[kept * SPACE + at] = QUEUED[i * SPACE + at];
                QUEUED_LENGTH[kept] = length;
                QUEUED_ROW[kept] = row;
                kept++;
            }
        }
        queued = kept;
    }

    private static boolean isQueued(int row) {
        int i = 0;
        while (i < queued && QUEUED_ROW[i] != row) {
            i++;
        }
        return i < queued;
    }

    /** Tells the user that the NIC does not take a message. */
    private static int refuse(int row, int channel) {
        refused++;
        int number = row == -1 ? -1 : POSTED[row]++;
        for (int i = 0; i < 4; i++) NOTICE[i] = (byte) (number >>> 24 - 8 * i);
        dmaRxdPayload(NOTICE, ~channel, 4);
        return 0;
    }

    /** Returns the row of a channel, or -1 if there are too many. A new channel has all tokens. */
    private static int row(int channel) {
        for (int row = 0; row < rows; row++) {
            if (NUMBER[row] == channel) return row;
        }
        // A refusal's descriptor has a negative channel, and its buffer is no token.
        if (rows == CHANNELS || channel < 0) return -1;
        NUMBER[rows] = channel;
        TOKENS_LEFT[rows] = LIMIT;
        return rows++;
    }

    private static int limited(int value, int least, int most) {
        return value < least ? least : value > most ? most : value;
    }
}

