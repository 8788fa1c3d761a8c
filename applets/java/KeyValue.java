import static unet.Nic.*;

/**
 * A cache in front of a key-value table: the table lives in the memory of this NIC's host, and the
 * NIC answers what it can. A hit never reaches the host.
 *
 * <pre>
 *  +------+-----+---------+----------------------+
 *  | kind | key | request | value, 0 to 47 bytes |     request: the client's number, which the
 *  |  1   |  4  |    4    |                      |     answer repeats
 *  +------+-----+---------+----------------------+
 *
 *  client               NIC                  host
 *    |-- GET key -------->|---- GET key ------>|     miss
 *    |<- VALUE key, v ----|<--- VALUE key, v --|     the NIC keeps v
 *    |-- GET key -------->|                    |     hit
 *    |<- VALUE key, v ----|                    |
 *    |-- PUT key, w ----->|---- PUT key, w --->|     the NIC forgets v
 *    |<- STORED key, w ---|<-- STORED key, w --|     the NIC keeps w
 * </pre>
 *
 * <p>From a PUT until its STORED, the NIC answers no GET for the key and keeps no VALUE for it: the
 * host may have computed that VALUE before it saw the PUT. The host must answer requests in order.
 */
public class KeyValue {
    static final byte GET = 1, PUT = 2, VALUE = 3, STORED = 4;

    /** Length of the fields before the value. */
    static final int HEADER = 9;

    /** The longest value that fits in a descriptor with its header, in bytes. */
    static final int VALUE_MAX = 47;

    /** Number of places in the cache, 2^PLACES_BITS. The host sets it. */
    static int PLACES_BITS = 6;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final int BITS = PLACES_BITS < 0 ? 0 : PLACES_BITS > 8 ? 8 : PLACES_BITS;
    static final int PLACES = 1 << BITS;
    static final byte[] TX_BUF = newAlignedArray(HEADER + VALUE_MAX);
    static final int[] KEYS = new int[PLACES];

    /** Length of each value, or -1 in an empty place. */
    static final int[] LENGTHS = empty();
    static final byte[] VALUES = new byte[PLACES * VALUE_MAX];

    /** For each place, the number of PUTs that the host has not answered. */
    static final int[] PENDING = new int[PLACES];

    /** Counters: answers by the NIC, requests to the host, and malformed packets and messages. */
    static int hits, misses, refused;

    /** Sends an answer of the host, and keeps its value. */
    static int doTx(int length, int channel, int offset) {
        if (length < HEADER || length > HEADER + VALUE_MAX) {
            return -++refused;
        }
        doHtoLDMA(TX_BUF, 0, offset, length);
        int key = key(TX_BUF);
        int place = place(key);
        if (TX_BUF[0] == STORED && PENDING[place] > 0) {
            PENDING[place]--;
        }
        if ((TX_BUF[0] == STORED || TX_BUF[0] == VALUE) && PENDING[place] == 0) {
            KEYS[place] = key;
            LENGTHS[place] = length - HEADER;
            copy(TX_BUF, HEADER, VALUES, place * VALUE_MAX, length - HEADER);
        }
        txPush(TX_BUF, 0, channel, length);
        return 1;
    }

    /** Answers a GET from the cache, or passes a request to the host. */
    static int doRx(int length, int channel) {
        if (length < HEADER || length > HEADER + VALUE_MAX || RxBuf[0] != GET && RxBuf[0] != PUT) {
            return -++refused;
        }
        int key = key(RxBuf);
        int place = place(key);
        if (RxBuf[0] == PUT) {
            LENGTHS[place] = -1;
            PENDING[place]++;
        } else if (LENGTHS[place] != -1 && KEYS[place] == key) {
            hits++;
            int found = LENGTHS[place];
            copy(RxBuf, 0, TX_BUF, 0, HEADER);
            copy(VALUES, place * VALUE_MAX, TX_BUF, HEADER, found);
            TX_BUF[0] = VALUE;
            txPush(TX_BUF, 0, channel, HEADER + found);
            return hits;
        }
        misses++;
        dmaRxdPayload(RxBuf, channel, length);
        return 0;
    }

    private static int key(byte[] from) {
        return (from[1] & 0xff) << 24 | (from[2] & 0xff) << 16 | (from[3] & 0xff) << 8
                | from[4] & 0xff;
    }

    /** Returns the place of a key: the highest bits of its product with 2^32 over the golden ratio. */
    private static int place(int key) {
        return BITS == 0 ? 0 : key * 0x9e3779b9 >>> 32 - BITS;
    }

    private static void copy(byte[] from, int start, byte[] to, int at, int length) {
        for (int i = 0; i < length; i++) {
            to[at + i] = from[start + i];
        }
    }

    private static int[] empty() {
        int[] lengths = new int[PLACES];
        for (int i = 0; i < PLACES; i++) {
            lengths[i] = -1;
        }
        return lengths;
    }
}
