import static unet.Nic.*;

/**
 * A barrier of NICs in a tree: no user is told to go on before the last user has come. Hosts only
 * enter and leave. A lost packet is sent again by {@code doTimer}.
 *
 * <pre>
 *  | kind | round |        kind: UP, the subtree has come; DOWN, all have come
 *  |  1   |   4   |
 *
 *            root                 user           NIC            parent
 *           /    \                  |- enter ----->|               |
 *         a        b                |              |  (children)   |
 *                 / \               |              |- UP, round -->|
 *                c   d              |              |<- DOWN, round-|
 *                                   |<- DOWN ------|  (children)   |
 * </pre>
 *
 * <p>The user enters with a message, whose bytes do not matter, and leaves when it gets the DOWN
 * of the round. A message before that is refused.
 */
public class Barrier {
    static final byte UP = 1, DOWN = 2;

    /** Length of every packet. */
    static final int LENGTH = 5;

    /** The channel towards the root, or -1 at the root, and the channels away from it, at most 31. */
    static int PARENT = -1;
    static int[] CHILDREN = new int[0];

    /** Time after which an UP without an answer is sent again, in microseconds. */
    static int RETRY = 2000;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final int COUNT = CHILDREN.length > 31 ? 31 : CHILDREN.length;
    static final int WAIT = RETRY < 1 ? 1 : RETRY > 10000000 ? 10000000 : RETRY;

    /** A bit for each child, and the highest for the user. */
    static final int ALL = (1 << COUNT) - 1 | 1 << 31;
    static final byte[] PACKET = newAlignedArray(LENGTH);

    /** The round, and who has come. */
    static int round, come;

    /** Counters: messages of the user in a round, malformed packets, and repetitions. */
    static int refused, malformed, repeated;

    /** The user enters. */
    static int doTx(int length, int channel, int offset) {
        if ((come & 1 << 31) != 0) {
            return -++refused;
        }
        come |= 1 << 31;
        advance();
        return round;
    }

    /** A child's subtree has come, or all have come. */
    static int doRx(int length, int channel) {
        if (length != LENGTH || RxBuf[0] != UP && RxBuf[0] != DOWN) {
            return -++malformed;
        }
        int number = 0;
        for (int i = 1; i < LENGTH; i++) {
            number = number << 8 | RxBuf[i] & 0xff;
        }
        if (RxBuf[0] == DOWN) {
            // Nobody leaves before this NIC has said UP, whatever a forged packet says.
            if (channel != PARENT || number != round || come != ALL) {
                return -++repeated;
            }
            leave();
            return round;
        }
        int child = 0;
        while (child < COUNT && CHILDREN[child] != channel) {
            child++;
        }
        if (child == COUNT) {
            return -++malformed;
        }
        if (number == round) {
            if ((come & 1 << child) != 0) {
                return -++repeated;
            }
            come |= 1 << child;
            advance();
        } else if (number == round - 1) {
            // The child has not got the DOWN of the last round.
            push(DOWN, number, channel);
        } else {
            malformed++;
        }
        return round;
    }

    /** Says UP again: the packet, or its answer, may be lost. */
    static int doTimer() {
        advance();
        return round;
    }

    private static void advance() {
        if (come != ALL) {
            return;
        }
        if (PARENT == -1) {
            leave();
        } else {
            setTimer(WAIT);
            push(UP, round, PARENT);
        }
    }

    /** Ends the round: tells the children and the user. */
    private static void leave() {
        setTimer(0);
        come = 0;
        round++;
        int count = COUNT;
        for (int child = 0; child < count; child++) {
            push(DOWN, round - 1, CHILDREN[child]);
        }
        PACKET[0] = DOWN;
        put(round - 1);
        dmaRxdPayload(PACKET, PARENT, LENGTH);
    }

    private static void push(byte kind, int number, int channel) {
        PACKET[0] = kind;
        put(number);
        txPush(PACKET, 0, channel, LENGTH);
    }

    private static void put(int number) {
        for (int i = 0; i < 4; i++) {
            PACKET[1 + i] = (byte) (number >>> 24 - 8 * i);
        }
    }
}
