import static unet.Nic.*;

/**
 * Play-out of an audio or video stream: the host gets one frame each {@link #PERIOD}, at a constant
 * delay, whatever the network does to them. A frame that comes too late is dropped, and a lost frame
 * is concealed by the one before it.
 *
 * <pre>
 *  | frame, 1 to SLOT bytes | sequence |
 *  |                        |    4     |
 *
 *  arrivals   0 1   2     4 3      6         7
 *             :                              .
 *             +- DELAY -+                    .
 *  play-out             0   1   2   3   4   4'  6   7     5 was lost: 4 again
 *                       +---+ PERIOD
 * </pre>
 *
 * <p>The play-out begins {@link #DELAY} after the first arrival, with the oldest frame that has come by
 * then, whichever came first. After {@link #CONCEALED_MAX} frames in a row without an arrival, the
 * stream has ended, and the next frame begins a new one.
 */
public class Stream {
    /** Longest frame that fits in a receive descriptor, and length of the trailer, in bytes. */
    static final int INLINE_MAX = 56, TRAILER = 4;

    /** Time between two frames, and from the first arrival to the play-out, in microseconds. */
    static int PERIOD = 1000, DELAY = 3000;

    /** Frames that can wait for their play-out, 2 to 64, and the bytes of each. */
    static int FRAMES = 8, SLOT = 256;

    /** Frames in a row that are concealed before the stream ends. */
    static int CONCEALED_MAX = 5;

    /** The channel of the sender. */
    static int CHANNEL = 1;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final int PLACES = limited(FRAMES, 2, 64), SPACE = limited(SLOT, 1, 4096);
    static final int EVERY = limited(PERIOD, 1, 10000000), WAIT = limited(DELAY, 1, 100000000);
    static final byte[] TX_BUF = newAlignedArray(SPACE + TRAILER);

    /** The frames that wait: {@code LENGTHS} is 0 in an empty place. */
    static final byte[] RING = new byte[PLACES * SPACE];
    static final int[] LENGTHS = new int[PLACES];

    /** The last frame that was played. */
    static final byte[] LAST = newAlignedArray(SPACE);
    static int lastLength;

    static final int[] BUFFERS = new int[1];
    static final int BUFFER_LENGTH = getFreeBufferLength();

    /** The number of the next frame to send, the next to play, its place, and when it is due. */
    static int sent, next, place, due;

    /** Whether there is a stream, and whether its play-out has begun. */
    static boolean isOpen, hasBegun;

    /** Before the play-out begins: how far the newest frame that waits is ahead of the oldest. */
    static int spread;

    /** How many frames in a row were concealed. */
    static int concealing;

    /** Counters: frames played, concealed, late, too early for the ring, and malformed packets. */
    static int played, concealed, late, early, refused;

    /** Sends a frame. */
    static int doTx(int length, int channel, int offset) {
        if (length < 1 || length > SPACE) {
            return -++refused;
        }
        doHtoLDMA(TX_BUF, 0, offset, length);
        for (int i = 0; i < TRAILER; i++) {
            TX_BUF[length + i] = (byte) (sent >>> 24 - 8 * i);
        }
        sent++;
        txPush(TX_BUF, 0, channel, length + TRAILER);
        return sent;
    }

    /** Keeps a frame until its play-out. */
    static int doRx(int length, int channel) {
        int end = length - TRAILER;
        if (channel != CHANNEL || end < 1 || end > SPACE) {
            return -++refused;
        }
        int number = 0;
        for (int i = 0; i < TRAILER; i++) {
            number = number << 8 | RxBuf[end + i] & 0xff;
        }
        if (!isOpen) {
            isOpen = true;
            hasBegun = false;
            concealing = 0;
            spread = 0;
            next = number;
            for (int i = 0; i < PLACES; i++) {
                LENGTHS[i] = 0;
            }
            due = currentTime() + WAIT;
            setTimer(WAIT);
        }
        // Sequence numbers wrap, so only their difference is compared.
        int ahead = number - next;
        if (ahead < 0 && !hasBegun && ahead > spread - PLACES) {
            // An older frame than the first arrival is in time while nothing has been played.
            place = (place + ahead + PLACES) % PLACES;
            next = number;
            spread -= ahead;
            ahead = 0;
        }
        if (ahead < 0) {
            return -++late;
        }
        if (ahead >= PLACES) {
            return -++early;
        }
        int to = (place + ahead) % PLACES;
        for (int i = 0; i < end; i++) {
            RING[to * SPACE + i] = RxBuf[i];
        }
        LENGTHS[to] = end;
        spread = ahead > spread ? ahead : spread;
        return ahead;
    }

    /** Plays the next frame, or conceals its loss. */
    static int doTimer() {
        hasBegun = true;
        int length = LENGTHS[place];
        if (length > 0) {
            for (int i = 0; i < length; i++) {
                LAST[i] = RING[place * SPACE + i];
            }
            lastLength = length;
            LENGTHS[place] = 0;
            concealing = 0;
            played++;
        } else if (concealing == CONCEALED_MAX) {
            isOpen = false;
            return 0;
        } else {
            concealing++;
            concealed++;
        }
        place = (place + 1) % PLACES;
        next++;
        // The next time counts from the last due time, so that delays do not add up.
        due += EVERY;
        int left = due - currentTime();
        setTimer(limited(left, 1, EVERY));
        deliver();
        return next;
    }

    /** Delivers the last frame in the descriptor or in a free buffer. */
    private static void deliver() {
        if (lastLength <= INLINE_MAX) {
            dmaRxdPayload(LAST, CHANNEL, lastLength);
            return;
        }
        BUFFERS[0] = lastLength <= BUFFER_LENGTH ? getFreeBuffer() : -1;
        if (BUFFERS[0] == -1) {
            refused++;
            return;
        }
        doLtoHDMA(LAST, 0, BUFFERS[0], lastLength);
        dmaRxd(BUFFERS, CHANNEL, lastLength);
    }

    private static int limited(int value, int least, int most) {
        return value < least ? least : value > most ? most : value;
    }
}
