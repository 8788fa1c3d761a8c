import static unet.Nic.*;

/**
 * A packet filter in front of the host, on a NIC that receives directly: delivers the IPv4 frames
 * that a rule permits. The buffer of any other frame goes back to the free queue, and the user never
 * learns of the frame. The host sets the rules through the field {@link #RULES}.
 *
 * <p>The NIC must keep the {@link #HEADER} bytes of a frame that the filter reads.
 *
 * <pre>
 *  0                12     14                    14 + 4 x IHL        + 4
 *  +----------------+------+---------------------+-------------------+- - -
 *  | MAC addresses  | 0800 | IPv4 header         | TCP or UDP: ports |
 *  +----------------+------+---------------------+-------------------+- - -
 *
 *  a rule: | permit | protocol | source | bits | destination | bits | first port | last port |
 * </pre>
 *
 * <p>{@code permit} is 1 or 0. {@code protocol} is 6, 17, another protocol, or -1 for any. A rule
 * compares the first {@code bits} bits of an address. The ports are destination ports, and
 * {@code 0, 65535} matches frames without ports too. The first rule that matches decides.
 */
public class DirectFirewall {
    /** Length of a rule, in elements of {@link #RULES}. */
    static final int RULE = 8;

    /** Longest message that fits in a receive descriptor, in bytes. */
    static final int INLINE_MAX = 56;

    /** Longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** The rules, one after the other. Without rules, every frame is denied. */
    static int[] RULES = new int[0];

    /** Longest header of a frame: Ethernet, IPv4 with all options, and TCP up to its data offset. */
    static final int HEADER = 14 + 60 + 13;

    /** The header of the frame that arrived. */
    static final byte[] HEAD = newAlignedArray(HEADER);

    static final byte[] TX_BUF = newAlignedArray(MAX_PACKET);
    static final int[] BUFFERS = new int[1];

    /** Whether each rule is well formed. Otherwise no rule counts, and every frame is denied. */
    static final boolean IS_VALID = isValid();

    /** Number of frames that each rule decided. */
    static final int[] HITS = new int[IS_VALID ? RULES.length / RULE : 0];

    /** Counters: frames that no rule permitted, malformed frames, and frames too long to send. */
    static int denied, malformed, refused;

    /** The frame in hand: protocol, addresses, and the destination port, or -1 without ports. */
    static int protocol, source, destination, port;

    /** Sends the user's frame unchanged. The filter applies only to arriving frames. */
    static int doTx(int length, int channel, int offset) {
        if (length > MAX_PACKET) {
            refused++;
            return 0;
        }
        doHtoLDMA(TX_BUF, 0, offset, length);
        txPush(TX_BUF, 0, channel, length);
        return 0;
    }

    /** Delivers a permitted frame. Returns 1 if the frame is permitted, and 0 if not. */
    static int doRx(int length, int channel) {
        peek(HEAD, 0, 0, length < HEADER ? length : HEADER);
        if (!parse(length)) {
            malformed++;
            return 0;
        }
        if (!isPermitted()) {
            denied++;
            return 0;
        }
        deliver(length, channel);
        return 1;
    }

    /** Reads the fields that rules compare. Returns false if the frame is not valid IPv4. */
    private static boolean parse(int length) {
        if (length < 34 || half(12) != 0x0800 || (HEAD[14] & 0xf0) != 0x40) {
            return false;
        }
        int start = 14 + 4 * (HEAD[14] & 0x0f);
        int end = 14 + half(16);
        if (start < 34 || start > end || end > length) {
            return false;
        }
        protocol = HEAD[23] & 0xff;
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
            int words = HEAD[start + 12] >> 4 & 0x0f;
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
        return (HEAD[at] & 0xff) << 8 | HEAD[at + 1] & 0xff;
    }

    /** Delivers the frame in the descriptor, or in the buffer in which it lies. */
    private static void deliver(int length, int channel) {
        if (length <= INLINE_MAX) {
            dmaRxdPayload(HEAD, channel, length);
            return;
        }
        BUFFERS[0] = rxOffset();
        dmaRxd(BUFFERS, channel, length);
    }
}
