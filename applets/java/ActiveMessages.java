import static unet.Nic.*;

/**
 * Active Messages: a request names the handler that runs when it arrives. Handlers below
 * {@link #HOST_HANDLERS} run here, in the NIC. All others run on the host, which gets the request
 * and sends the reply. Each request of the user ends with exactly one reply or one error.
 *
 * <pre>
 *  | kind | handler | number | data, 0 to 50 bytes |
 *  |  1   |    1    |   4    |                     |
 *
 *  user        NIC a                     NIC b              host b
 *    |- REQUEST ->|- REQUEST 1, n ---------->|  handler 1       |
 *    |<- REPLY ---|<- REPLY 1, n ------------|                  |
 *    |- REQUEST ->|- REQUEST 64, m --------->|- REQUEST 64, m ->|  handler 64
 *    |<- REPLY ---|<- REPLY 64, m -----------|<- REPLY 64, m ---|
 *    |- REQUEST ->|- REQUEST 1, k ----X      |                  |
 *    |<- ERROR ---|  doTimer                 |                  |
 * </pre>
 *
 * <p>The NIC numbers the requests of its user from 0, so the user leaves the number blank. The data
 * of an error is one byte: {@link #UNKNOWN}, {@link #BUSY} or {@link #LATE}. After LATE, the handler
 * may have run or not.
 */
public class ActiveMessages {
    static final byte REQUEST = 1, REPLY = 2, ERROR = 3;

    /** Reasons of an error: no such handler, too many requests or a bad one, no reply in time. */
    static final byte UNKNOWN = 1, BUSY = 2, LATE = 3;

    /** Handlers in the NIC: the data again, the sum of its ints, and the number of requests. */
    static final int ECHO = 0, SUM = 1, COUNT = 2;

    /** The first handler that runs on the host. */
    static final int HOST_HANDLERS = 64;

    /** Length of the fields before the data, and of the longest packet. */
    static final int HEADER = 6, PACKET_MAX = 56;

    /** Most requests without a reply. */
    static final int REQUESTS_MAX = 16;

    /** Time after which a request without a reply ends with an error, in microseconds. */
    static int TIMEOUT = 20000;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final int PATIENCE = TIMEOUT < 1 ? 1 : TIMEOUT > 1000000000 ? 1000000000 : TIMEOUT;
    static final byte[] TX_BUF = newAlignedArray(PACKET_MAX);
    static final byte[] OWN = newAlignedArray(HEADER + 1);

    /** For each request without a reply: whether there is one, its number, channel and deadline. */
    static final boolean[] IS_OPEN = new boolean[REQUESTS_MAX];
    static final int[] NUMBERS = new int[REQUESTS_MAX], CHANNELS = new int[REQUESTS_MAX];
    static final int[] DEADLINES = new int[REQUESTS_MAX];
    static final byte[] HANDLERS = new byte[REQUESTS_MAX];

    /** Requests of the user, requests that the NIC served, and those that it passed to the host. */
    static int requests, served, passed;

    /** Counters: packets and messages without the format, and replies to no open request. */
    static int malformed, stray;

    /** Sends a request of the user, or a reply of its handler. */
    static int doTx(int length, int channel, int offset) {
        if (length < HEADER || length > PACKET_MAX) {
            malformed++;
            return fail(requests++, channel, (byte) 0, BUSY);
        }
        doHtoLDMA(TX_BUF, 0, offset, length);
        if (TX_BUF[0] == REQUEST) {
            int place = 0;
            while (place < REQUESTS_MAX && IS_OPEN[place]) {
                place++;
            }
            int number = requests++;
            if (place == REQUESTS_MAX) {
                return fail(number, channel, TX_BUF[1], BUSY);
            }
            IS_OPEN[place] = true;
            NUMBERS[place] = number;
            CHANNELS[place] = channel;
            HANDLERS[place] = TX_BUF[1];
            DEADLINES[place] = currentTime() + PATIENCE;
            putInt(TX_BUF, 2, number);
            wake();
        } else if (TX_BUF[0] != REPLY && TX_BUF[0] != ERROR) {
            return -++malformed;
        }
        txPush(TX_BUF, 0, channel, length);
        return 1;
    }

    /** Runs the handler of a request, or ends a request of the user. */
    static int doRx(int length, int channel) {
        if (length < HEADER || length > PACKET_MAX || RxBuf[0] < REQUEST || RxBuf[0] > ERROR) {
            return -++malformed;
        }
        if (RxBuf[0] == REQUEST) {
            return handle(length, channel);
        }
        int number = getInt(RxBuf, 2);
        for (int i = 0; i < REQUESTS_MAX; i++) {
            if (IS_OPEN[i] && NUMBERS[i] == number && CHANNELS[i] == channel) {
                IS_OPEN[i] = false;
                dmaRxdPayload(RxBuf, channel, length);
                wake();
                return 1;
            }
        }
        // A repetition, or a reply that comes after the error LATE.
        return -++stray;
    }

    /** Ends the requests whose time is over. */
    static int doTimer() {
        int now = currentTime();
        for (int i = 0; i < REQUESTS_MAX; i++) {
            // The clock wraps, so only differences are compared.
            if (IS_OPEN[i] && DEADLINES[i] - now <= 0) {
                IS_OPEN[i] = false;
                fail(NUMBERS[i], CHANNELS[i], HANDLERS[i], LATE);
            }
        }
        wake();
        return 0;
    }

    /** Runs a handler here, or passes the request to the host. */
    private static int handle(int length, int channel) {
        int handler = RxBuf[1] & 0xff;
        if (handler >= HOST_HANDLERS) {
            passed++;
            dmaRxdPayload(RxBuf, channel, length);
            return 0;
        }
        RxBuf[0] = REPLY;
        switch (handler) {
            case ECHO:
                break;
            case SUM:
                int sum = 0;
                for (int ints = (length - HEADER) / 4; ints > 0; ints--) {
                    sum += getInt(RxBuf, HEADER + 4 * ints - 4);
                }
                putInt(RxBuf, HEADER, sum);
                length = HEADER + 4;
                break;
            case COUNT:
                putInt(RxBuf, HEADER, served);
                length = HEADER + 4;
                break;
            default:
                RxBuf[0] = ERROR;
                RxBuf[HEADER] = UNKNOWN;
                length = HEADER + 1;
        }
        served++;
        txPush(RxBuf, 0, channel, length);
        return 1;
    }

    /** Ends a request of the user with an error. */
    private static int fail(int number, int channel, byte handler, byte reason) {
        OWN[0] = ERROR;
        OWN[1] = handler;
        putInt(OWN, 2, number);
        OWN[HEADER] = reason;
        dmaRxdPayload(OWN, channel, HEADER + 1);
        return -reason;
    }

    /** Sets the timer for the next deadline. */
    private static void wake() {
        int now = currentTime();
        int next = 0;
        for (int i = 0; i < REQUESTS_MAX; i++) {
            int left = DEADLINES[i] - now < 1 ? 1 : DEADLINES[i] - now;
            if (IS_OPEN[i] && (next == 0 || left < next)) {
                next = left;
            }
        }
        setTimer(next);
    }

    private static int getInt(byte[] from, int at) {
        return (from[at] & 0xff) << 24 | (from[at + 1] & 0xff) << 16
                | (from[at + 2] & 0xff) << 8 | from[at + 3] & 0xff;
    }

    private static void putInt(byte[] to, int at, int value) {
        for (int i = 0; i < 4; i++) to[at + i] = (byte) (value >>> 24 - 8 * i);
    }
}
