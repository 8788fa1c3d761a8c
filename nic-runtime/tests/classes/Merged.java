import static unet.Nic.*;

/**
 * Policer, Firewall and Reliable merged by hand, for comparison with a chain of the three. An applet
 * is one class, so their code is copied here. A packet is copied once, and each entry runs once.
 */
public class Merged {
    static final int INLINE_MAX = 56, TRAILER = 12, DATA = 1, ACK = 2, RULE = 8, BUCKETS = 16;

    /** Settings of the host: messages under way, 2^QUEUE_BITS messages kept, bytes of each. */
    static int CHANNEL = 1, WINDOW = 4, QUEUE_BITS = 3, SLOT = 1024;

    /** Settings of the host: timeouts in microseconds, timeouts to give up, most unread messages. */
    static int TIMEOUT = 2000, TIMEOUT_MAX = 16000, SILENT_MAX = 60, UNREAD_MAX = 32;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final int PLACES = 1 << limited(QUEUE_BITS, 0, 6), MESSAGE_MAX = limited(SLOT, 0, 4096);
    // At most half the NIC's quota of 64 packets for each call.
    static final int SPACE = MESSAGE_MAX + TRAILER, UNDER_WAY = limited(WINDOW, 1, 32);
    static final int FIRST = limited(TIMEOUT, 1, 1000000);
    static final int LONGEST = limited(TIMEOUT_MAX, FIRST, 1000000);

    /** A ring of the messages that the peer has not acknowledged. */
    static final byte[] RING = newAlignedArray(PLACES * SPACE);
    static final int[] LENGTHS = new int[PLACES], NUMBERS = new int[PLACES];
    static final byte[] ANSWER = newAlignedArray(TRAILER);
    static final int[] BUFFERS = new int[1];
    static final int BUFFER_LENGTH = getFreeBufferLength();

    /** Sequence numbers: oldest unacknowledged message, next to send, next to post, next to arrive. */
    static int oldest, next, posted, expected;

    /** Messages of the user, unread messages, silent timeouts, their length, and the give-up. */
    static int messages, unread, silent, timeout = FIRST;
    static boolean isCut;

    /** Counters: refused messages, packets that were damaged or forged, repetitions sent. */
    static int refused, damaged, repeated;

    /** Keeps a message until it is acknowledged, and sends it if the window is open. */
    static int doTx(int length, int channel, int offset) {
        messages++;
        if (isCut || channel != CHANNEL || posted - oldest == PLACES || length > MESSAGE_MAX) {
            return refuse(messages - 1, channel);
        }
        int place = place(posted);
        doHtoLDMA(RING, place * SPACE, offset, length);
        LENGTHS[place] = length;
        NUMBERS[place] = messages - 1;
        posted++;
        send();
        return 1;
    }

    /** Takes acknowledgements, and delivers a message if it is the next. */
    static int doRx(int length, int channel) {
        int end = length - TRAILER;
        if (channel != CHANNEL || end < 0
                || (get(length - 4) & 0xffff) != checksum(RxBuf, 0, length - 2)) {
            return ++damaged;
        }
        int kind = get(end + 8) >>> 16;
        // Sequence numbers wrap, so only their differences are compared.
        int acknowledged = get(end + 4) - oldest;
        if (kind != DATA && kind != ACK || acknowledged < 0 || acknowledged > next - oldest) {
            return ++damaged;
        }
        silent = 0;
        if (acknowledged != 0) {
            oldest += acknowledged;
            timeout = FIRST;
            setTimer(oldest == next ? 0 : timeout);
        }
        if (kind == DATA && get(end) == expected && unread < UNREAD_MAX) {
            if (!parse(end)) {
                malformed++;
            } else if (!isPermitted()) {
                denied++;
            } else if (!isWithinRate(end, channel)) {
                exceeded++;
            } else if (deliver(end, channel)) {
                unread++;
            }
            expected++;
        }
        send();
        // A repetition is acknowledged too, because the first acknowledgement may be lost.
        if (kind == DATA) push(ANSWER, 0, 0, next, ACK);
        return expected;
    }

    /** The user has read a message, or a refusal, whose descriptor has another channel. */
    static int doRefill(int length, int channel, int offset) {
        return channel == CHANNEL ? --unread : unread;
    }

    /** Repeats all messages under way, or gives up. */
    static int doTimer() {
        silent++;
        if (silent > SILENT_MAX) {
            isCut = true;
            for (int left = posted - oldest; left > 0; left--) {
                refuse(NUMBERS[place(posted - left)], CHANNEL);
            }
            oldest = next = posted;
            return 0;
        }
        timeout = limited(2 * timeout, FIRST, LONGEST);
        setTimer(timeout);
        repeated += next - oldest;
        for (int left = next - oldest; left > 0; left--) transmit(next - left);
        return silent;
    }

    /** Sends messages as far as the window allows. */
    private static void send() {
        for (int room = UNDER_WAY - (next - oldest); room > 0 && next != posted; room--) {
            if (next == oldest) setTimer(timeout);
            next++;
            transmit(next - 1);
        }
    }

    private static void transmit(int sequence) {
        int place = place(sequence);
        push(RING, place * SPACE, LENGTHS[place], sequence, DATA);
    }

    /** Writes the trailer behind {@code length} bytes at {@code start}, and sends both. */
    private static void push(byte[] from, int start, int length, int sequence, int kind) {
        int end = start + length;
        put(from, end, sequence);
        put(from, end + 4, expected);
        put(from, end + 8, kind << 16);
        put(from, end + 8, kind << 16 | checksum(from, start, end + 10));
        txPush(from, start, CHANNEL, length + TRAILER);
    }

    /** The Internet checksum (RFC 1071) detects every flipped bit. */
    private static int checksum(byte[] bytes, int start, int end) {
        int sum = (end - start) % 2 == 0 ? 0 : (bytes[end - 1] & 0xff) << 8;
        for (int words = (end - start) / 2; words > 0; words--, start += 2) {
            sum += (bytes[start] & 0xff) << 8 | bytes[start + 1] & 0xff;
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        return ~(sum + (sum >>> 16)) & 0xffff;
    }

    /** Delivers a message in the descriptor or in a free buffer. Returns false if there is none. */
    private static boolean deliver(int length, int channel) {
        if (length <= INLINE_MAX) {
            dmaRxdPayload(RxBuf, channel, length);
            return true;
        }
        BUFFERS[0] = length <= BUFFER_LENGTH ? getFreeBuffer() : -1;
        if (BUFFERS[0] == -1) return false;
        doLtoHDMA(RxBuf, 0, BUFFERS[0], length);
        dmaRxd(BUFFERS, channel, length);
        return true;
    }

    /** Tells the user that a message may not have arrived. */
    private static int refuse(int number, int channel) {
        refused++;
        put(ANSWER, 0, number);
        dmaRxdPayload(ANSWER, ~channel, 4);
        return 0;
    }

    /** Returns the place of a message in the ring, whose size is a power of two. */
    private static int place(int sequence) {
        return sequence & PLACES - 1;
    }

    private static int get(int at) {
        return (RxBuf[at] & 0xff) << 24 | (RxBuf[at + 1] & 0xff) << 16
                | (RxBuf[at + 2] & 0xff) << 8 | RxBuf[at + 3] & 0xff;
    }

    private static void put(byte[] to, int at, int value) {
        for (int i = 0; i < 4; i++) to[at + i] = (byte) (value >>> 24 - 8 * i);
    }

    private static int limited(int value, int least, int most) {
        return value < least ? least : value > most ? most : value;
    }

    /** The rules, one after the other. Without rules, every frame is denied. */
    static int[] RULES = new int[0];

    /** Whether each rule is well formed. Otherwise no rule counts, and every frame is denied. */
    static final boolean IS_VALID = isValid();

    /** Number of frames that each rule decided. */
    static final int[] HITS = new int[IS_VALID ? RULES.length / RULE : 0];

    /** Counters: frames that no rule permitted, malformed frames. */
    static int denied, malformed;

    /** The frame in hand: protocol, addresses, and the destination port, or -1 without ports. */
    static int protocol, source, destination, port;

    /** Reads the fields that rules compare. Returns false if the frame is not valid IPv4. */
    private static boolean parse(int length) {
        if (length < 34 || half(12) != 0x0800 || (RxBuf[14] & 0xf0) != 0x40) {
            return false;
        }
        int start = 14 + 4 * (RxBuf[14] & 0x0f);
        int end = 14 + half(16);
        if (start < 34 || start > end || end > length) {
            return false;
        }
        protocol = RxBuf[23] & 0xff;
        source = half(26) << 16 | half(28);
        destination = half(30) << 16 | half(32);
        port = -1;
        int fragment = half(20) & 0x1fff;
        if (fragment != 0) {
            // A later fragment that begins at byte 8 could overwrite a TCP header (RFC 1858).
            return protocol != 6 || fragment != 1;
        }
        int header = protocol == 6 ? 20 : protocol == 17 ? 8 : 0;
        if (end - start < header) {
            return false;
        }
        if (protocol == 6) {
            // The data offset counts words, of which the options may not exceed the datagram.
            int words = RxBuf[start + 12] >> 4 & 0x0f;
            if (words < 5 || start + 4 * words > end) {
                return false;
            }
        }
        if (header != 0) {
            port = half(start + 2);
        }
        return true;
    }

    /** Finds the first rule that matches. */
    private static boolean isPermitted() {
        int rules = HITS.length;
        for (int rule = 0; rule < rules; rule++) {
            int at = RULE * rule;
            if ((RULES[at + 1] == -1 || RULES[at + 1] == protocol)
                    && isInside(source, RULES[at + 2], RULES[at + 3])
                    && isInside(destination, RULES[at + 4], RULES[at + 5])
                    && hasPort(RULES[at + 6], RULES[at + 7])) {
                HITS[rule]++;
                return RULES[at] == 1;
            }
        }
        return false;
    }

    private static boolean isInside(int address, int network, int bits) {
        // A shift by 32 would shift by 0 (JVMS §6.5.ishl), so 0 bits are a case of their own.
        return bits == 0 || (address ^ network) >>> (32 - bits) == 0;
    }

    private static boolean hasPort(int first, int last) {
        if (first == 0 && last == 65535) {
            return true;
        }
        return port >= first && port <= last && port != -1;
    }

    /** Checks the table once, so that no packet meets a malformed rule. */
    private static boolean isValid() {
        if (RULES == null || RULES.length % RULE != 0) {
            return false;
        }
        for (int at = 0; at < RULES.length; at += RULE) {
            if ((RULES[at] & ~1) != 0 || RULES[at + 1] < -1 || RULES[at + 1] > 255
                    || RULES[at + 3] < 0 || RULES[at + 3] > 32
                    || RULES[at + 5] < 0 || RULES[at + 5] > 32
                    || RULES[at + 6] < 0 || RULES[at + 7] > 65535 || RULES[at + 6] > RULES[at + 7]) {
                return false;
            }
        }
        return true;
    }

    private static int half(int at) {
        return (RxBuf[at] & 0xff) << 8 | RxBuf[at + 1] & 0xff;
    }

    /** Bytes for each millisecond, 0 to 1,000,000. The host sets it. */
    static int RATE = 1000;

    /** Size of a bucket in bytes, 0 to 1,000,000. The host sets it. */
    static int BURST = 10000;

    /** {@link #RATE} and {@link #BURST}, limited so that no sum below overflows. */
    static final int SPEED = limited(RATE, 0, 1000000);
    static final int FULL = limited(BURST, 0, 1000000) * 1000;

    static final int[] CHANNELS = new int[BUCKETS];

    /** Tokens of each bucket, in thousandths of a byte: a microsecond adds exactly SPEED of them. */
    static final int[] TOKENS = new int[BUCKETS];

    /** When each bucket was last filled, in microseconds. */
    static final int[] FILLED = new int[BUCKETS];

    /** Number of buckets in use. */
    static int buckets;

    static int exceeded;

    private static boolean isWithinRate(int length, int channel) {
        int bucket = bucket(channel);
        fill(bucket);
        int cost = 1000 * length;
        if (cost > TOKENS[bucket]) {
            return false;
        }
        TOKENS[bucket] -= cost;
        return true;
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
}
