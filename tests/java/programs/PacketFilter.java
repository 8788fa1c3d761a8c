/** Frames built from a seed, and judged by a list of rules on addresses, protocol and ports. */
class PacketFilter {
    static final int ETHERNET = 14, VLAN_TYPE = 0x8100, IPV4_TYPE = 0x0800, TCP = 6, UDP = 17;
    static final int DROP = 0, MALFORMED = -1, OTHER = -2;
    static final int RULE_WORDS = 6;
    /** Network, its mask, protocol or 0, lowest and highest port, verdict: the first rule that fits counts. */
    static final int[] RULES = {
        0x0a000000, 0xff000000, TCP, 1, 1023, 10,
        0x0a000000, 0xff000000, 0, 0, 65535, 11,
        0xc0a80100, 0xffffff00, UDP, 53, 53, 20,
        0xc0a80000, 0xffff0000, UDP, 0, 65535, DROP,
        0, 0, TCP, 443, 443, 30,
    };

    static final byte[] frame = new byte[128];
    static int state;

    static int run(int seed, int count) {
        state = seed;
        int hash = 0;
        for (int i = 0; i < count; i++) {
            int length = build();
            hash = hash * 31 + judge(length);
        }
        return hash;
    }

    static int next(int bound) {
        state = state * 1103515245 + 12345;
        return (state >>> 16) % bound;
    }

    static int build() {
        int at = ETHERNET - 2;
        if (next(4) == 0) {
            put16(at, VLAN_TYPE);
            put16(at + 2, next(4096));
            at += 4;
        }
        put16(at, next(8) == 0 ? 0x86dd : IPV4_TYPE);
        at += 2;
        int words = 5 + next(3);
        int length = words * 4 + 8 + next(20);
        frame[at] = (byte) (0x40 | words);
        put16(at + 2, length);
        frame[at + 9] = (byte) (next(2) == 0 ? TCP : UDP);
        int network = next(3);
        put32(at + 12, network == 0 ? 0x0a000000 | next(30000) : network == 1 ? 0xc0a80100 | next(512) : next(30000) << 16);
        put16(at + words * 4 + 2, next(3) == 0 ? 53 : next(3) == 0 ? 443 : next(2000));
        return next(16) == 0 ? at + 10 : at + length;
    }

    static int judge(int length) {
        int at = ETHERNET;
        int type = get16(at - 2);
        if (type == VLAN_TYPE) {
            at += 4;
            type = get16(at - 2);
        }
        if (type != IPV4_TYPE) return OTHER;
        if (length < at + 20) return MALFORMED;
        int header = (frame[at] & 0xf) * 4;
        if ((frame[at] & 0xf0) != 0x40 || header < 20 || get16(at + 2) > length - at) return MALFORMED;
        int protocol = frame[at + 9] & 0xff;
        int source = get16(at + 12) << 16 | get16(at + 14);
        int port = get16(at + header + 2);
        for (int rule = 0; rule < RULES.length; rule += RULE_WORDS) {
            if ((source & RULES[rule + 1]) == RULES[rule]
                    && (RULES[rule + 2] == 0 || RULES[rule + 2] == protocol)
                    && port >= RULES[rule + 3] && port <= RULES[rule + 4]) {
                return RULES[rule + 5];
            }
        }
        return DROP;
    }

    static int get16(int at) {
        return (frame[at] & 0xff) << 8 | frame[at + 1] & 0xff;
    }

    static void put16(int at, int value) {
        frame[at] = (byte) (value >> 8);
        frame[at + 1] = (byte) value;
    }

    static void put32(int at, int value) {
        put16(at, value >>> 16);
        put16(at + 2, value);
    }
}
