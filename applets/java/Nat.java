import static unet.Nic.*;

/**
 * Network address translation: hosts behind channel {@link #INSIDE} share one IPv4 address on
 * channel {@link #OUTSIDE}. Frames go from channel to channel inside the NIC; its host sees none.
 *
 * <pre>
 *  0                12     14            26       30            14 + 4 x IHL
 *  +----------------+------+-------------+--------+-------------+------------------
 *  | MAC addresses  | 0800 | IPv4 header | source | destination | TCP or UDP: ports
 *  +----------------+------+-------------+--------+-------------+------------------
 *
 *  INSIDE                             OUTSIDE
 *  10.0.0.5:4000 -> 198.51.100.7:53   192.0.2.1:PORT + entry -> 198.51.100.7:53
 *  10.0.0.5:4000 <- 198.51.100.7:53   192.0.2.1:PORT + entry <- 198.51.100.7:53
 * </pre>
 *
 * <p>An entry of the table belongs to an inside address, port and protocol. A frame from inside
 * creates it. It expires when no frame from inside has used it for {@link #TIMEOUT}, and then
 * another connection may take its place. While there are entries, {@link #doTimer} removes those
 * that have expired. Fragments and other protocols are refused. Time to live and MAC addresses stay
 * as they are, because a NAT is no router.
 */
public class Nat {

    /** Settings of the host: channel numbers, and the address outside (192.0.2.1). */
    static int INSIDE = 1, OUTSIDE = 2, ADDRESS = 0xc0000201;

    /** Settings of the host: the first port outside, entries, and their timeout in milliseconds. */
    static int PORT = 40000, ENTRIES = 64, TIMEOUT = 30000;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final int COUNT = ENTRIES < 1 ? 1 : ENTRIES > 512 ? 512 : ENTRIES;
    static final int FIRST = PORT < 1 || PORT > 65536 - COUNT ? 65536 - COUNT : PORT;
    static final int LIFE = TIMEOUT < 1 ? 1000 : TIMEOUT > 1000000 ? 1000000000 : 1000 * TIMEOUT;

    /** For each entry: inside address, inside port, protocol (0: no entry), and last use. */
    static final int[] ADDRESSES = new int[COUNT];
    static final int[] PORTS = new int[COUNT];
    static final byte[] PROTOCOLS = new byte[COUNT];
    static final int[] USED = new int[COUNT];

    /** Counters: translated frames, malformed or other frames, and frames without an entry. */
    static int outwards, inwards, refused, unknown, full;

    /** Whether the timer runs: it does while there are entries. */
    static boolean isSweeping;

    /** The frame in hand: where its ports are, and where its checksum is, or -1 without one. */
    static int ports, checksum;

    /** The host of a NAT is no part of the network, so it sends nothing. */
    static int doTx(int length, int channel, int offset) {
        refused++;
        return 0;
    }

    /** Translates a frame and sends it to the other side. Returns its entry, or -1. */
    static int doRx(int length, int channel) {
        if (channel != INSIDE && channel != OUTSIDE || !parse(length)) {
            refused++;
            return -1;
        }
        int now = currentTime();
        int entry = channel == INSIDE ? findOutwards(now) : findInwards(now);
        if (entry == -1) {
            return -1;
        }
        if (channel == INSIDE) {
            USED[entry] = now;
            outwards++;
            replace(26, ports, ADDRESS, FIRST + entry);
            txPush(RxBuf, 0, OUTSIDE, length);
        } else {
            inwards++;
            replace(30, ports + 2, ADDRESSES[entry], PORTS[entry]);
            txPush(RxBuf, 0, INSIDE, length);
        }
        return entry;
    }

    /** Removes the entries that have expired, and waits for the next that will. */
    static int doTimer() {
        int now = currentTime(), next = 0;
        int count = COUNT;
        for (int entry = 0; entry < count; entry++) {
            int left = isLive(entry, now) ? LIFE - (now - USED[entry]) : 0;
            PROTOCOLS[entry] = left == 0 ? 0 : PROTOCOLS[entry];
            next = left > 0 && (next == 0 || left < next) ? left : next;
        }
        // A timer keeps a simulation running, so an empty table sets none.
        isSweeping = next != 0;
        setTimer(next);
        return next;
    }

    /** Finds the entry of a frame from inside, or makes it. */
    private static int findOutwards(int now) {
        int address = get(26) << 16 | get(28);
        int port = get(ports);
        int free = -1;
        int count = COUNT;
        for (int entry = 0; entry < count; entry++) {
            if (!isLive(entry, now)) {
                free = free == -1 ? entry : free;
            } else if (ADDRESSES[entry] == address && PORTS[entry] == port
                    && PROTOCOLS[entry] == RxBuf[23]) {
                return entry;
            }
        }
        if (free == -1) {
            full++;
            return -1;
        }
        ADDRESSES[free] = address;
        PORTS[free] = port;
        PROTOCOLS[free] = RxBuf[23];
        if (!isSweeping) {
            isSweeping = true;
            setTimer(LIFE);
        }
        return free;
    }

    /** Finds the entry of a frame from outside by its port. */
    private static int findInwards(int now) {
        int entry = get(ports + 2) - FIRST;
        if ((get(30) << 16 | get(32)) != ADDRESS || entry < 0 || entry >= COUNT
                || !isLive(entry, now) || PROTOCOLS[entry] != RxBuf[23]) {
            unknown++;
            return -1;
        }
        return entry;
    }

    private static boolean isLive(int entry, int now) {
        // The clock wraps, so the difference is right up to 2^31 us: doTimer removes the entry before.
        int age = now - USED[entry];
        return PROTOCOLS[entry] != 0 && age >= 0 && age < LIFE;
    }

    /** Checks the headers of a frame. Returns false if it cannot be translated. */
    private static boolean parse(int length) {
        if (length < 34 || get(12) != 0x0800 || (RxBuf[14] & 0xf0) != 0x40) {
            return false;
        }
        ports = 14 + 4 * (RxBuf[14] & 0x0f);
        int end = 14 + get(16);
        int header = RxBuf[23] == 6 ? 20 : 8;
        // Only the first fragment of a datagram has ports, so no fragment is translated.
        if (RxBuf[23] != 6 && RxBuf[23] != 17 || ports < 34 || end > length
                || end - ports < header || (get(20) & 0x3fff) != 0) {
            return false;
        }
        checksum = ports + (RxBuf[23] == 6 ? 16 : 6);
        if (RxBuf[23] == 17 && get(checksum) == 0) {
            // RFC 768: the sender has computed no checksum.
            checksum = -1;
        }
        return true;
    }

    /** Replaces an address and a port, and corrects both checksums by the difference. */
    private static void replace(int addressAt, int portAt, int address, int port) {
        int high = address >>> 16;
        int low = address & 0xffff;
        int ofAddress = (~get(addressAt) & 0xffff) + high + (~get(addressAt + 2) & 0xffff) + low;
        int ofPort = (~get(portAt) & 0xffff) + port;
        correct(24, ofAddress);
        if (checksum != -1) {
            // TCP and UDP sum the addresses too, in their pseudo header.
            correct(checksum, ofAddress + ofPort);
            if (RxBuf[23] == 17 && get(checksum) == 0) {
                put(checksum, 0xffff);
            }
        }
        put(addressAt, high);
        put(addressAt + 2, low);
        put(portAt, port);
    }

    /** Corrects a checksum by a sum of differences: RFC 1624, equation 3. */
    private static void correct(int at, int difference) {
        int sum = (~get(at) & 0xffff) + difference;
        sum = (sum & 0xffff) + (sum >>> 16);
        put(at, ~(sum + (sum >>> 16)));
    }

    private static int get(int at) {
        return (RxBuf[at] & 0xff) << 8 | RxBuf[at + 1] & 0xff;
    }

    private static void put(int at, int value) {
        RxBuf[at] = (byte) (value >>> 8);
        RxBuf[at + 1] = (byte) value;
    }
}
