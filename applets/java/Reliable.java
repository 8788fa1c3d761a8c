import static unet.Nic.*;

/**
 * Reliable messages over an unreliable link: each message arrives exactly once, intact and in order,
 * until the link is cut. Sequence numbers, cumulative acknowledgements, a window, a checksum and
 * retransmission by {@code doTimer} all stay inside the NIC.
 *
 * <pre>
 *  | payload, 0 to SLOT bytes | sequence | acknowledged | kind | checksum |
 *  |                          |    4     |      4       |  2   |    2     |
 *
 *  sender                        receiver
 *    |--- sequence 0, DATA -------->|  delivers 0
 *    |--- sequence 1, DATA ---X     |
 *    |<-- acknowledged 1, ACK ------|  expects 1 next
 *    |    doTimer                   |
 *    |--- sequence 1, DATA -------->|  delivers 1
 * </pre>
 *
 * <p>The fields are a trailer, so that the payload needs no copy. An endpoint has one peer, on
 * channel CHANNEL. After SILENT_MAX timeouts without a valid packet of the peer, the applet gives
 * up. A message that it gave up or cannot take is refused: the user gets its number, counted from
 * 0, as a descriptor on channel {@code ~channel}.
 */
public class Reliable {
    static final int INLINE_MAX = 56, TRAILER = 12, DATA = 1, ACK = 2;

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
        if (kind == DATA && get(end) == expected && unread < UNREAD_MAX && deliver(end, channel)) {
            expected++;
            unread++;
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
}
