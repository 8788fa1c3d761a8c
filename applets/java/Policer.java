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
 * packet only if its delivery would exceed this bound.
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
        int bucket = bucket(channel);
        fill(bucket);
        int cost = 1000 * length;
        if (cost > TOKENS[bucket]) {
            exceeded++;
            return 0;
        }
        TOKENS[bucket] -= cost;
        deliver(length, channel);
        return 1;
    }

    /** Adds the tokens for the time since the bucket was last filled. */
    private static void fill(int bucket) {
        if (SPEED == 0) {
            return;
        }
        int now = currentTime();
        int elapsed = now - FILLED[bucket];
        FILLED[bucket] = now;
        int missing = FULL - TOKENS[bucket];
        // The time wraps. An elapsed time of more than 2^31 us is negative and fills any bucket.
        // The division avoids elapsed * SPEED, which may overflow.
        if (elapsed < 0 || elapsed > missing / SPEED) {
            TOKENS[bucket] = FULL;
        } else {
            TOKENS[bucket] += elapsed * SPEED;
        }
    }

    /** Returns the bucket of a channel. A channel without a bucket gets a full one. */
    private static int bucket(int channel) {
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
        FILLED[bucket] = currentTime();
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
