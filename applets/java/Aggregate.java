import static unet.Nic.*;

/**
 * Gathers small messages into one packet, and takes them apart at the receiver. A packet leaves when
 * the next message does not fit, or {@link #DELAY} after its first message.
 *
 * <pre>
 *  | length | message | length | message |  ...  |      1 to 64 records
 *  |   2    |         |   2    |         |       |
 *
 *  user         NIC a                      NIC b              user
 *    |-- m1 ------>|  timer set              |                  |
 *    |-- m2 ------>|                         |                  |
 *    |             |  doTimer                |                  |
 *    |             |-- 2, m1, 2, m2 -------->|-- m1 ----------->|
 *    |             |                         |-- m2 ----------->|
 * </pre>
 *
 * <p>The packet being gathered belongs to one channel. A message for another channel sends it.
 */
public class Aggregate {
    /** Longest message that fits in a receive descriptor, and length of a record's header. */
    static final int INLINE_MAX = 56, HEADER = 2;

    /** Most records of a packet, so that no packet occupies the receiver for long. */
    static final int RECORDS_MAX = 64;

    /** Settings of the host: bytes of a packet, and longest delay in microseconds. */
    static int FULL = 1024, DELAY = 200;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final int ROOM = FULL < HEADER ? HEADER : FULL > 9000 ? 9000 : FULL;
    static final int WAIT = DELAY < 1 ? 1 : DELAY > 1000000 ? 1000000 : DELAY;
    static final byte[] PACKET = newAlignedArray(ROOM);
    static final byte[] SHORT = newAlignedArray(INLINE_MAX);
    static final int[] BUFFERS = new int[1];
    static final int BUFFER_LENGTH = getFreeBufferLength();

    /** The packet being gathered: its channel, its bytes, and its records. */
    static int channelOf, used, records;

    /** Counters: packets sent, messages too long, malformed packets, messages without a buffer. */
    static int packets, refused, malformed, undelivered;

    /** Adds a message to the packet. Returns the number of messages in it. */
    static int doTx(int length, int channel, int offset) {
        if (length > ROOM - HEADER) {
            return -++refused;
        }
        if (records > 0 && (channel != channelOf || used + HEADER + length > ROOM)) {
            flush();
        }
        channelOf = channel;
        if (records == 0) {
            setTimer(WAIT);
        }
        PACKET[used] = (byte) (length >>> 8);
        PACKET[used + 1] = (byte) length;
        doHtoLDMA(PACKET, used + HEADER, offset, length);
        used += HEADER + length;
        records++;
        // Without room for another record, waiting would only cost time.
        if (used + HEADER > ROOM || records == RECORDS_MAX) {
            flush();
        }
        return records;
    }

    /** Delivers the messages of a packet. Returns their number. */
    static int doRx(int length, int channel) {
        int at = 0;
        int count = 0;
        for (int left = RECORDS_MAX; left > 0 && at + HEADER <= length; left--) {
            int size = (RxBuf[at] & 0xff) << 8 | RxBuf[at + 1] & 0xff;
            if (size > length - at - HEADER) {
                break;
            }
            deliver(at + HEADER, size, channel);
            at += HEADER + size;
            count++;
        }
        // The messages before a malformed record are delivered.
        if (at != length) {
            malformed++;
        }
        return count;
    }

    /** The first message of the packet has waited long enough. */
    static int doTimer() {
        if (records > 0) {
            flush();
        }
        return packets;
    }

    private static void flush() {
        int length = used;
        used = 0;
        records = 0;
        packets++;
        setTimer(0);
        txPush(PACKET, 0, channelOf, length);
    }

    /** Delivers a message in the descriptor or in a free buffer. */
    private static void deliver(int start, int length, int channel) {
        if (length <= INLINE_MAX) {
            for (int i = 0; i < length; i++) {
                SHORT[i] = RxBuf[start + i];
            }
            dmaRxdPayload(SHORT, channel, length);
            return;
        }
        BUFFERS[0] = length <= BUFFER_LENGTH ? getFreeBuffer() : -1;
        if (BUFFERS[0] == -1) {
            undelivered++;
            return;
        }
        doLtoHDMA(RxBuf, start, BUFFERS[0], length);
        dmaRxd(BUFFERS, channel, length);
    }
}
