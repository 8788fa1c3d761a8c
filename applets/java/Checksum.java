import static unet.Nic.*;

/**
 * Checksum offload: fills in the IPv4 and UDP checksums of the frames that the user sends, and drops
 * arriving frames whose checksums are wrong. The host computes no checksum at all.
 *
 * <pre>
 *  0                12     14                    14 + 4 x IHL         + 8
 *  +----------------+------+---------------------+--------------------+------+
 *  | MAC addresses  | 0800 | IPv4 header         | UDP header         | data |
 *  |                |      | checksum at byte 10 | checksum at byte 6 |      |
 *  +----------------+------+---------------------+--------------------+------+
 * </pre>
 *
 * <p>A frame of another EtherType passes unchanged, and so does the data of another protocol. Of a
 * fragment only the IPv4 header is checked, because its UDP checksum covers the whole datagram.
 */
public class Checksum {
    /** Longest message that fits in a receive descriptor, in bytes. */
    static final int INLINE_MAX = 56;

    /** Longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** Results of {@link #locate}. */
    static final int OTHER = 0, MALFORMED = 1, IPV4 = 2, UDP = 3;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final byte[] TX_BUF = newAlignedArray(MAX_PACKET);
    static final int[] BUFFERS = new int[1];
    static final int BUFFER_LENGTH = getFreeBufferLength();

    /** Where the IPv4 header of the frame in hand ends, and where its datagram ends. */
    static int headerEnd, dataEnd;

    /** Counters: frames that were verified, wrong, malformed, or too long for a free buffer. */
    static int verified, wrong, malformed, refused;

    /** Fills in the checksums of a frame and sends it. A malformed frame is sent unchanged. */
    static int doTx(int length, int channel, int offset) {
        if (length > MAX_PACKET) {
            refused++;
            return 0;
        }
        doHtoLDMA(TX_BUF, 0, offset, length);
        int kind = locate(TX_BUF, length);
        if (kind >= IPV4) {
            put(TX_BUF, 24, 0);
            put(TX_BUF, 24, ~fold(sum(TX_BUF, 14, headerEnd, 0)));
        }
        if (kind == UDP) {
            put(TX_BUF, headerEnd + 6, 0);
            int checksum = ~fold(udpSum(TX_BUF)) & 0xffff;
            // RFC 768: 0 means that there is no checksum, so its other representation is sent.
            put(TX_BUF, headerEnd + 6, checksum == 0 ? 0xffff : checksum);
        }
        txPush(TX_BUF, 0, channel, length);
        return kind;
    }

    /** Delivers a frame whose checksums are right. Returns the kind of the frame. */
    static int doRx(int length, int channel) {
        int kind = locate(RxBuf, length);
        if (kind == MALFORMED) {
            malformed++;
            return kind;
        }
        // The sum over bytes that include their own checksum is 0xffff (RFC 1071).
        if (kind >= IPV4 && fold(sum(RxBuf, 14, headerEnd, 0)) != 0xffff) {
            wrong++;
            return kind;
        }
        if (kind == UDP && get(RxBuf, headerEnd + 6) != 0 && fold(udpSum(RxBuf)) != 0xffff) {
            wrong++;
            return kind;
        }
        if (kind != OTHER) {
            verified++;
        }
        deliver(length, channel);
        return kind;
    }

    /** Finds the headers of a frame, checks every length against the frame, and returns its kind. */
    private static int locate(byte[] frame, int length) {
        if (length < 14 || get(frame, 12) != 0x0800) {
            return OTHER;
        }
        int words = frame[14] & 0x0f;
        if (length < 34 || (frame[14] & 0xf0) != 0x40 || words < 5) {
            return MALFORMED;
        }
        headerEnd = 14 + 4 * words;
        dataEnd = 14 + get(frame, 16);
        // The frame may be longer than the datagram, because Ethernet pads short frames.
        if (dataEnd < headerEnd || dataEnd > length) {
            return MALFORMED;
        }
        // The flag "more fragments" and the fragment offset.
        if (frame[23] != 17 || (get(frame, 20) & 0x3fff) != 0) {
            return IPV4;
        }
        if (dataEnd - headerEnd < 8) {
            return MALFORMED;
        }
        int udpLength = get(frame, headerEnd + 4);
        if (udpLength < 8 || udpLength > dataEnd - headerEnd) {
            return MALFORMED;
        }
        dataEnd = headerEnd + udpLength;
        return UDP;
    }

    /** Sums the pseudo header and the UDP datagram (RFC 768). */
    private static int udpSum(byte[] frame) {
        int pseudo = sum(frame, 26, 34, 17 + dataEnd - headerEnd);
        return sum(frame, headerEnd, dataEnd, pseudo);
    }

    /** Adds the 16-bit words of {@code frame[start..end]} to {@code sum}. 9 KiB of them fit an int. */
    private static int sum(byte[] frame, int start, int end, int sum) {
        int at = start;
        for (int words = (end - start) / 2; words > 0; words--) {
            sum += (frame[at] & 0xff) << 8 | frame[at + 1] & 0xff;
            at += 2;
        }
        return at == end ? sum : sum + ((frame[at] & 0xff) << 8);
    }

    /** Adds the carries to the low 16 bits, as ones' complement addition does. */
    private static int fold(int sum) {
        int once = (sum & 0xffff) + (sum >>> 16);
        return (once & 0xffff) + (once >>> 16);
    }

    private static int get(byte[] frame, int at) {
        return (frame[at] & 0xff) << 8 | frame[at + 1] & 0xff;
    }

    private static void put(byte[] frame, int at, int value) {
        frame[at] = (byte) (value >>> 8);
        frame[at + 1] = (byte) value;
    }

    /** Delivers the frame in the descriptor or in a free buffer. Drops a frame that fits neither. */
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
