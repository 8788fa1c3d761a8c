import static unet.Nic.*;

/**
 * Measures a path of NICs: each NIC appends the time at which it saw a packet, and reports its
 * counters to its host every {@link #EVERY} milliseconds.
 *
 * <pre>
 *  | payload | hop | time | hop | time |  ...  | stamps |      1 to STAMPS_MAX stamps
 *  |         |  1  |  4   |  1  |  4   |       |   1    |
 *
 *  user        HOP = 0          HOP = 1          HOP = 2          user
 *    |-- p ------>|-- p, 0 ------->|-- p, 0, 1 ---->|-- p, 0, 1, 2 -->|
 *    |<- report --|                |-- report -->   |-- report ------>|
 *
 *  a report, on channel -1:  | packets | bytes | refused | without a buffer |
 *                            |    4    |   4   |    4    |        4         |
 * </pre>
 *
 * <p>Clocks of NICs start together, so the differences of two stamps are the time of a hop.
 */
public class Telemetry {
    /** Longest message that fits in a receive descriptor, and length of a stamp. */
    static final int INLINE_MAX = 56, STAMP = 5;

    /** Most stamps of a packet, and longest packet of the NIC, in bytes. */
    static final int STAMPS_MAX = 32, MAX_PACKET = 9216;

    /** Settings of the host: the number of this NIC, and the channel to the next, or -1 at the end. */
    static int HOP = 0, NEXT = -1;

    /** Time between two reports in milliseconds; 0 for none. The host sets it. */
    static int EVERY = 10;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final int WAIT = EVERY < 0 ? 0 : EVERY > 1000000 ? 1000000000 : 1000 * EVERY;
    static final byte[] TX_BUF = newAlignedArray(MAX_PACKET);
    static final byte[] REPORT = newAlignedArray(16);
    static final int[] BUFFERS = new int[1];
    static final int BUFFER_LENGTH = getFreeBufferLength();

    /** Counters: packets seen, their bytes, malformed packets, and packets without a buffer. */
    static int packets, bytes, refused, undelivered;

    /** Whether the timer runs. It stops when nothing was seen since the last report. */
    static boolean isRunning;
    static int reported;

    /** Sends a message with its first stamp. */
    static int doTx(int length, int channel, int offset) {
        run();
        if (length > MAX_PACKET - STAMP - 1) {
            return -++refused;
        }
        doHtoLDMA(TX_BUF, 0, offset, length);
        stamp(TX_BUF, length, 1);
        count(length + STAMP + 1);
        txPush(TX_BUF, 0, channel, length + STAMP + 1);
        return 1;
    }

    /** Adds a stamp, and passes the packet on or delivers it. Returns the number of stamps. */
    static int doRx(int length, int channel) {
        run();
        int stamps = length > 0 ? RxBuf[length - 1] : 0;
        if (stamps < 1 || stamps >= STAMPS_MAX || STAMP * stamps + 1 > length
                || length + STAMP > MAX_PACKET || length + STAMP > RxBuf.length) {
            return -++refused;
        }
        count(length);
        stamp(RxBuf, length - 1, stamps + 1);
        if (NEXT != -1) {
            txPush(RxBuf, 0, NEXT, length + STAMP);
        } else {
            deliver(length + STAMP, channel);
        }
        return stamps + 1;
    }

    /** Reports the counters. */
    static int doTimer() {
        isRunning = false;
        // A timer keeps a simulation running, so an idle NIC sets none.
        if (reported == packets + refused) {
            return 0;
        }
        reported = packets + refused;
        run();
        put(REPORT, 0, packets);
        put(REPORT, 4, bytes);
        put(REPORT, 8, refused);
        put(REPORT, 12, undelivered);
        dmaRxdPayload(REPORT, -1, 16);
        return packets;
    }

    private static void run() {
        if (!isRunning && WAIT > 0) {
            isRunning = true;
            setTimer(WAIT);
        }
    }

    private static void count(int length) {
        packets++;
        bytes += length;
    }

    /** Writes a stamp at {@code at}, and the number of stamps behind it. */
    private static void stamp(byte[] packet, int at, int stamps) {
        packet[at] = (byte) HOP;
        put(packet, at + 1, currentTime());
        packet[at + STAMP] = (byte) stamps;
    }

    /** Delivers the packet with its stamps, in the descriptor or in a free buffer. */
    private static void deliver(int length, int channel) {
        if (length <= INLINE_MAX) {
            dmaRxdPayload(RxBuf, channel, length);
            return;
        }
        BUFFERS[0] = length <= BUFFER_LENGTH ? getFreeBuffer() : -1;
        if (BUFFERS[0] == -1) {
            undelivered++;
            return;
        }
        doLtoHDMA(RxBuf, 0, BUFFERS[0], length);
        dmaRxd(BUFFERS, channel, length);
    }

    private static void put(byte[] to, int at, int value) {
        for (int i = 0; i < 4; i++) {
            to[at + i] = (byte) (value >>> 24 - 8 * i);
        }
    }
}
