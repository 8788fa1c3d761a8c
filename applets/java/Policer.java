import static unet.Nic.*;

/**
 * Limits the rate of each source channel by a token bucket, before any DMA to the host. The format
 * of the packets does not matter.
 *
 * <pre>
 *   RATE bytes each millisecond
 *        |
 *        v
 *    +-------+   a packet of n bytes takes n tokens and is delivered;
 *    | BURST |   with fewer tokens in the bucket it is dropped and takes none
 *    +-------+
 * </pre>
 *
 * <p>In any period of t ms, a channel delivers at most BURST + RATE x t bytes. The policer drops a
 * packet only if its delivery would exceed this bound. {@link #doTimer} fills the buckets when no
 * packet does, because the clock wraps.
 */
public class Policer {
    /** Number of channels with a bucket of their own. All further channels share the last one. */
    static final int BUCKETS = 16;

    /** Longest message that fits in a receive descriptor, in bytes. */
    static final int INLINE_MAX = 56;

    /** Longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** Bytes for each millisecond, 0 to 1,000,000. The host sets it. */
    static int RATE = 1000;

    /** Size of a bucket in bytes, 0 to 1,000,000. The host sets it. */
    static int BURST = 10000;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    /** {@link #RATE} and {@link #BURST}, limited so that no sum below overflows. */
    static final int SPEED = limited(RATE);
    static final int FULL = limited(BURST) * 1000;

    /** Longest time between two fillings of a bucket that is not full: enough for an empty one. */
    static final int WAIT = SPEED == 0 ? 0 : pause(FULL);

    static final byte[] TX_BUF = newAlignedArray(MAX_PACKET);
    static final int[] BUFFERS = new int[1];
    static final int BUFFER_LENGTH = getFreeBufferLength();

    static final int[] CHANNELS = new int[BUCKETS];

    /** Tokens of each bucket, in thousandths of a byte: a microsecond adds exactly SPEED of them. */
    static final int[] TOKENS = new int[BUCKETS];

    /** When each bucket was last filled, in microseconds. */
    static final int[] FILLED = new int[BUCKETS];

    /** Number of buckets in use. */
    static int buckets;

    /** Whether the timer runs: it does while a bucket is not full. */
    static boolean isFilling;

    /** Counters: packets that exceeded the rate, and packets without a buffer. */
    static int exceeded, refused;

    /** Sends the user's message unchanged. */
    static int doTx(int length, int channel, int offset) {
        if (length > MAX_PACKET) {
            refused++;
            return 0;
        }
        doHtoLDMA(TX_BUF, 0, offset, length);
        txPush(TX_BUF, 0, channel, length);
        return 0;
    }

    /** Delivers a packet within the rate. Returns 1 if it is within the rate, and 0 if not. */
    static int doRx(int length, int channel) {
        // Without a rate the time does not matter.
        int now = SPEED == 0 ? 0 : currentTime();
        int bucket = bucket(channel, now);
        fill(bucket, now);
        int cost = 1000 * length;
        if (cost > TOKENS[bucket]) {
            exceeded++;
            return 0;
        }
        TOKENS[bucket] -= cost;
        if (!isFilling && cost > 0 && WAIT > 0) {
            isFilling = true;
            setTimer(WAIT);
        }
        deliver(length, channel);
        return 1;
    }

    /** Fills all buckets, and waits until the emptiest will be full. */
    static int doTimer() {
        int now = currentTime();
        int missing = 0;
        int count = buckets;
        for (int bucket = 0; bucket < count; bucket++) {
            fill(bucket, now);
            int own = FULL - TOKENS[bucket];
            missing = own > missing ? own : missing;
        }
        // A timer keeps a simulation running, so full buckets set none: no time can add to them.
        isFilling = missing > 0;
        if (isFilling) {
            setTimer(pause(missing));
        }
        return missing;
    }

    /** Returns a time that fills a bucket, below 2^31 us. At least 100 ms, so that calls are rare. */
    private static int pause(int missing) {
        int time = missing / SPEED + 1;
        return time < 100000 ? 100000 : time;
    }

    /** Adds the tokens for the time since the bucket was last filled. */
    private static void fill(int bucket, int now) {
        if (SPEED == 0) {
            return;
        }
        int elapsed = now - FILLED[bucket];
        FILLED[bucket] = now;
        int missing = FULL - TOKENS[bucket];
        // The clock wraps, so the difference is wrong after 2^31 us, but then the bucket is full.
        // The division avoids elapsed * SPEED, which may overflow.
        if (elapsed < 0 || elapsed > missing / SPEED) {
            TOKENS[bucket] = FULL;
        } else {
            TOKENS[bucket] += elapsed * SPEED;
        }
    }

    /** Returns the bucket of a channel. A channel without a bucket gets a full one. */
    private static int bucket(int channel, int now) {
        int bucket = 0;
        while (bucket < buckets && CHANNELS[bucket] != channel) {
            bucket++;
        }
        if (bucket < buckets) {
            return bucket;
        }
        if (buckets == BUCKETS) {
            return BUCKETS - 1;
        }
        CHANNELS[bucket] = channel;
        TOKENS[bucket] = FULL;
        FILLED[bucket] = now;
        buckets++;
        return bucket;
    }

    private static int limited(int value) {
        return value < 0 ? 0 : value > 1000000 ? 1000000 : value;
    }

    /** Delivers the packet in the descriptor or in a free buffer. Drops a packet that fits neither. */
    private static void deliver(int length, int channel) {
        if (length <= INLINE_MAX) {
            dmaRxdPayload(RxBuf, channel, length);
            return;
        }
        int buffer = length <= BUFFER_LENGTH ? getFreeBuffer() : -1;
        if (buffer == -1) {
            refused++;
            return;
        }
        doLtoHDMA(RxBuf, 0, buffer, length);
        BUFFERS[0] = buffer;
        dmaRxd(BUFFERS, channel, length);
    }
}
