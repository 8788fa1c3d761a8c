import static unet.Nic.*;

/**
 * A barrier of 2^ROUNDS NICs without any host. In round r a NIC writes the number of the episode
 * into a window of the NIC 2^r places on. The round ends when the NIC 2^r places back has done the
 * same. After the last round every NIC has heard of every other, so the barrier opens.
 *
 * <pre>
 *  window r of a NIC: | episode |      4 bytes at 4 r of its buffer area; the NIC watches them
 *
 *      NIC 0      NIC 1      NIC 2      NIC 3
 *        |- episode -->|          |          |        round 0: a place on
 *        |          |- episode -->|          |        (NIC 3 writes to NIC 0)
 *        |          |          |- episode -->|
 *        |------- episode ------>|          |        round 1: two places on
 *        |          |------- episode ------>|        (NICs 2 and 3 write to 0 and 1)
 * </pre>
 *
 * <p>A lost write is repeated by {@code doTimer}. Episodes only grow, so a write that comes twice
 * changes nothing.
 */
public class WindowBarrier {
    /** Number of rounds, at most 16. The NIC owns and writes windows 0 to ROUNDS - 1. */
    static int ROUNDS = 3;

    /** Number of episodes. */
    static int EPISODES = 1;

    /** Time before the NIC enters, and time after which it repeats its writes, in microseconds. */
    static int WORK = 100, RETRY = 2000;

    /** How often the NIC repeats its writes after the last episode, for NICs that missed one. */
    static int FAREWELLS = 8;

    /** Length of a window. */
    static final int LENGTH = 4;

    /** The tag of the events that tell of an open barrier. */
    static final int OPEN = 1;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final int COUNT = ROUNDS > 16 ? 16 : ROUNDS < 0 ? 0 : ROUNDS;
    static final byte[] WORD = newAlignedArray(LENGTH);

    /** The latest episode that was written to each window of this NIC, and to the peers' windows. */
    static final int[] heard = new int[16], said = new int[16];

    /** The running episode or the next one, counted from 1, and its round; -1 before it is entered. */
    static int episode = 1, round = -1;

    /** Counters: opened barriers, repetitions, and messages that do not belong to the barrier. */
    static int opened, repeated, refused;

    static {
        int count = COUNT;
        for (int r = 0; r < count; r++) {
            watch(r, 0, LENGTH);
        }
        setTimer(limited(WORK));
    }

    /** The barrier takes no messages. */
    static int doTx(int length, int channel, int offset) {
        return -++refused;
    }

    static int doRx(int length, int channel) {
        return -++refused;
    }

    /** Enters the next episode, or repeats all writes: one of them, or one of a peer's, may be lost. */
    static int doTimer() {
        if (round == -1 && episode <= EPISODES) {
            round = 0;
            say(0);
            advance();
            return episode;
        }
        repeated++;
        int count = COUNT;
        for (int r = 0; r < count; r++) {
            if (said[r] != 0) {
                write(r);
            }
        }
        if (episode <= EPISODES || repeated < FAREWELLS) {
            setTimer(limited(RETRY));
        }
        return episode;
    }

    /** The NIC 2^window places back has written. */
    static int doWatch(int window, int offset, int length) {
        doHtoLDMA(WORD, 0, LENGTH * window, LENGTH);
        int number = 0;
        for (int i = 0; i < LENGTH; i++) {
            number = number << 8 | WORD[i] & 0xff;
        }
        if (number > heard[window]) {
            heard[window] = number;
            advance();
        }
        return number;
    }

    /** Ends the rounds for which the peers have written. */
    private static void advance() {
        int count = COUNT;
        int r = round;
        if (r == -1) {
            return;
        }
        while (r < count && heard[r] >= episode) {
            r++;
            if (r < count) {
                say(r);
            }
        }
        round = r;
        if (r < count) {
            setTimer(limited(RETRY));
            return;
        }
        trace(OPEN, episode);
        opened++;
        episode++;
        round = -1;
        repeated = 0;
        setTimer(limited(episode <= EPISODES ? WORK : RETRY));
    }

    /** Tells the NIC 2^r places on that this NIC has come to a round. */
    private static void say(int r) {
        said[r] = episode;
        write(r);
    }

    private static void write(int r) {
        for (int i = 0; i < LENGTH; i++) {
            WORD[i] = (byte) (said[r] >>> 24 - 8 * i);
        }
        windowWrite(WORD, 0, r, 0, LENGTH);
    }

    private static int limited(int microseconds) {
        return microseconds < 1 ? 1 : microseconds > 10000000 ? 10000000 : microseconds;
    }
}
