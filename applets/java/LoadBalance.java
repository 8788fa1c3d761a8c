import static unet.Nic.*;

/**
 * Spreads flows over servers inside the NIC: all packets of a flow go to the same server, and when a
 * server leaves, only its own flows move.
 *
 * <pre>
 *  | Ethernet, IPv4 and TCP or UDP |        a flow: protocol, both addresses, both ports
 *
 *  clients        NIC                          servers
 *    |-- flow 1 --->|  weight(flow 1, member)    |
 *    |              |-- to the heaviest -------->|  member 2
 *    |<-------------|<---------------------------|  its answers go back
 *
 *  the host sets a member up or down:  | member | 1 or 0 |
 *                                      |   1    |   1    |
 * </pre>
 *
 * <p>Each pair of a flow and a member has a weight, which a hash computes, and the heaviest member
 * gets the flow (rendezvous hashing). A member that leaves changes no other weight. So the NIC needs
 * no table of flows, and a flood of new flows fills nothing.
 */
public class LoadBalance {
    /** The channel of the clients, and the channels of the members, at most 32. The host sets them. */
    static int CLIENTS = 1;
    static int[] MEMBERS = new int[0];

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final int COUNT = MEMBERS.length > 32 ? 32 : MEMBERS.length;
    static final byte[] ORDER = newAlignedArray(2);

    /** Whether each member takes flows, and how many packets it got. */
    static final boolean[] IS_DOWN = new boolean[COUNT];
    static final int[] PACKETS = new int[COUNT];

    /** Counters: packets to the clients, packets that are no flow or come when all members are down. */
    static int answers, refused;

    /** Sets a member up or down for the host. */
    static int doTx(int length, int channel, int offset) {
        if (length != 2) {
            return -++refused;
        }
        doHtoLDMA(ORDER, 0, offset, 2);
        if (ORDER[0] < 0 || ORDER[0] >= COUNT || (ORDER[1] & ~1) != 0) {
            return -++refused;
        }
        IS_DOWN[ORDER[0]] = ORDER[1] == 0;
        return ORDER[0];
    }

    /** Sends a client's packet to the flow's member, or a member's packet to the clients. */
    static int doRx(int length, int channel) {
        if (channel != CLIENTS) {
            answers++;
            txPush(RxBuf, 0, CLIENTS, length);
            return -1;
        }
        if (!isFlow(length)) {
            refused++;
            return -1;
        }
        int member = member(flow());
        if (member == -1) {
            refused++;
            return -1;
        }
        PACKETS[member]++;
        txPush(RxBuf, 0, MEMBERS[member], length);
        return member;
    }

    /** Returns whether the packet is IPv4 with ports. A fragment has none, so it is no flow. */
    private static boolean isFlow(int length) {
        if (length < 34 || half(12) != 0x0800 || (RxBuf[14] & 0xf0) != 0x40) {
            return false;
        }
        int ports = 14 + 4 * (RxBuf[14] & 0x0f);
        return (RxBuf[23] == 6 || RxBuf[23] == 17) && (half(20) & 0x3fff) == 0
                && ports >= 34 && ports + 4 <= length;
    }

    /** Hashes protocol, addresses and ports. */
    private static int flow() {
        int ports = 14 + 4 * (RxBuf[14] & 0x0f);
        int hash = mix(RxBuf[23]);
        hash = mix(hash ^ (half(26) << 16 | half(28)));
        hash = mix(hash ^ (half(30) << 16 | half(32)));
        return mix(hash ^ (half(ports) << 16 | half(ports + 2)));
    }

    /** Returns the heaviest member that is up, or -1 if none is. */
    private static int member(int flow) {
        int heaviest = -1;
        int most = 0;
        int count = COUNT;
        for (int member = 0; member < count; member++) {
            // The shift clears the sign bit, so larger hashes are larger weights. Of equal weights the first wins.
            int weight = mix(flow ^ mix(member + 1)) >>> 1;
            if (!IS_DOWN[member] && (heaviest == -1 || weight > most)) {
                heaviest = member;
                most = weight;
            }
        }
        return heaviest;
    }

    /** The finalizer of MurmurHash3: each bit of the argument changes half of the bits. */
    private static int mix(int bits) {
        bits ^= bits >>> 16;
        bits *= 0x85ebca6b;
        bits ^= bits >>> 13;
        bits *= 0xc2b2ae35;
        return bits ^ bits >>> 16;
    }

    private static int half(int at) {
        return (RxBuf[at] & 0xff) << 8 | RxBuf[at + 1] & 0xff;
    }
}
