import static unet.Nic.*;

/**
 * The sum of vectors over a tree of NICs: each user gives a vector of ints, and each user gets the
 * sum of all. The NICs add on the way to the root. A lost packet is sent again by {@code doTimer}.
 *
 * <pre>
 *  | kind | round | vector, 4 x SIZE bytes |     kind: UP, a sum of the subtree; DOWN, the result
 *  |  1   |   4   |                        |
 *
 *            root 1+2+3                user          NIC             parent
 *           /        \                   |- vector --->|                |
 *         a 1       b 2+3                |             |  adds children |
 *                   /                    |             |- UP, sum ----->|
 *                 c 3                    |             |<- DOWN, result-|
 *                                        |<- result ---|  (children)    |
 * </pre>
 *
 * <p>The user may give its next vector when it has the result. A vector before that is refused.
 */
public class Reduce {
    static final byte UP = 1, DOWN = 2;

    /** Length of the fields before the vector, in bytes. */
    static final int HEADER = 5;

    /** The channel towards the root, or -1 at the root, and the channels away from it, at most 31. */
    static int PARENT = -1;
    static int[] CHILDREN = new int[0];

    /** Ints of a vector, 1 to 13, so that a result fits in a descriptor. */
    static int SIZE = 4;

    /** Time after which an UP without an answer is sent again, in microseconds. */
    static int RETRY = 2000;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final int COUNT = CHILDREN.length > 31 ? 31 : CHILDREN.length;
    static final int INTS = SIZE < 1 ? 1 : SIZE > 13 ? 13 : SIZE;
    static final int WAIT = RETRY < 1 ? 1 : RETRY > 10000000 ? 10000000 : RETRY;

    /** A bit for each child, and the highest for the user. */
    static final int ALL = (1 << COUNT) - 1 | 1 << 31;

    /** The packet to send, the user's vector, and the sum of this round or the last result. */
    static final byte[] PACKET = newAlignedArray(HEADER + 4 * INTS);
    static final byte[] VECTOR = newAlignedArray(4 * INTS);
    static final int[] SUM = new int[INTS];
    static final int[] RESULT = new int[INTS];

    /** The round, and whose vectors are in the sum. */
    static int round, come;

    /** Counters: vectors of the user that came too early or too long, malformed packets, repetitions. */
    static int refused, malformed, repeated;

    /** Adds the user's vector. */
    static int doTx(int length, int channel, int offset) {
        if (length != 4 * INTS || (come & 1 << 31) != 0) {
            return -++refused;
        }
        doHtoLDMA(VECTOR, 0, offset, length);
        add(VECTOR, 0, 1 << 31);
        return round;
    }

    /** Adds a child's sum, or takes the result. */
    static int doRx(int length, int channel) {
        if (length != HEADER + 4 * INTS || RxBuf[0] != UP && RxBuf[0] != DOWN) {
            return -++malformed;
        }
        int number = get(RxBuf, 1);
        if (RxBuf[0] == DOWN) {
            if (channel != PARENT || number != round || come != ALL) {
                return -++repeated;
            }
            int count = INTS;
            for (int i = 0; i < count; i++) {
                SUM[i] = get(RxBuf, HEADER + 4 * i);
            }
            finish();
            return round;
        }
        int child = 0;
        while (child < COUNT && CHILDREN[child] != channel) {
            child++;
        }
        if (child == COUNT) {
            return -++malformed;
        }
        if (number == round && (come & 1 << child) == 0) {
            add(RxBuf, HEADER, 1 << child);
        } else {
            repeated++;
            if (number == round - 1) {
                // The child has not got the result of the last round.
                push(DOWN, number, RESULT, channel);
            }
        }
        return round;
    }

    /** Says UP again: the packet, or its answer, may be lost. */
    static int doTimer() {
        if (come == ALL) {
            setTimer(WAIT);
            push(UP, round, SUM, PARENT);
        }
        return round;
    }

    private static void add(byte[] from, int start, int who) {
        int count = INTS;
        for (int i = 0; i < count; i++) {
            SUM[i] += get(from, start + 4 * i);
        }
        come |= who;
        if (come != ALL) {
            return;
        }
        if (PARENT == -1) {
            finish();
        } else {
            doTimer();
        }
    }

    /** Ends the round: the sum is the result, for the children and the user. */
    private static void finish() {
        setTimer(0);
        int ints = INTS;
        for (int i = 0; i < ints; i++) {
            RESULT[i] = SUM[i];
            SUM[i] = 0;
        }
        come = 0;
        round++;
        int count = COUNT;
        for (int child = 0; child < count; child++) {
            push(DOWN, round - 1, RESULT, CHILDREN[child]);
        }
        for (int i = 0; i < ints; i++) {
            put(VECTOR, 4 * i, RESULT[i]);
        }
        dmaRxdPayload(VECTOR, PARENT, 4 * INTS);
    }

    private static void push(byte kind, int number, int[] vector, int channel) {
        PACKET[0] = kind;
        put(PACKET, 1, number);
        int count = INTS;
        for (int i = 0; i < count; i++) {
            put(PACKET, HEADER + 4 * i, vector[i]);
        }
        txPush(PACKET, 0, channel, HEADER + 4 * INTS);
    }

    private static int get(byte[] from, int at) {
        return (from[at] & 0xff) << 24 | (from[at + 1] & 0xff) << 16
                | (from[at + 2] & 0xff) << 8 | from[at + 3] & 0xff;
    }

    private static void put(byte[] to, int at, int value) {
        for (int i = 0; i < 4; i++) {
            to[at + i] = (byte) (value >>> 24 - 8 * i);
        }
    }
}
