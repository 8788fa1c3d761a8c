import static unet.Nic.*;

/**
 * The packet says where its payload goes: the sender knows a window of the receiver's buffer area
 * and writes into it, so that data arrives in its final place without a copy by the host.
 *
 * <pre>
 *  | offset | payload, 1 to 9,000 bytes |      offset: from the start of the window, or -1 for
 *  |   4    |                           |      an ordinary free buffer
 *
 *  receiver's buffer area
 *  +--------------+-------------+------------------+---------------------------+
 *  | free buffers | transmit    | window           |                           |
 *  +--------------+-------------+------------------+---------------------------+
 *                               ^ WINDOW           ^ WINDOW + WINDOW_LENGTH
 * </pre>
 *
 * <p>The user of the sender writes the offset before the payload. For a placed message, the
 * receiver's user gets a descriptor that names its place, after the bytes are there. The same user
 * decides what its window is. A packet that does not fit in it is refused, and nothing is written.
 */
public class PacketPlaced {
    /** Longest message that fits in a receive descriptor, and length of the header, in bytes. */
    static final int INLINE_MAX = 56, HEADER = 4;

    /** Longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** Most shares that a descriptor can name. */
    static final int SHARES_MAX = 14;

    /** The window in the buffer area. The host sets it, and an empty one takes no packet. */
    static int WINDOW = 0, WINDOW_LENGTH = 0;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final byte[] TX_BUF = newAlignedArray(MAX_PACKET);
    static final byte[] SHORT = newAlignedArray(INLINE_MAX);
    static final int[] SHARES = new int[SHARES_MAX];
    static final int BUFFER_LENGTH = getFreeBufferLength();

    /** Counters: placed messages, messages in free buffers, refused ones, and those without one. */
    static int placed, ordinary, refused, undelivered;

    /** Sends the user's message, which begins with the offset. */
    static int doTx(int length, int channel, int offset) {
        if (length < HEADER || length > MAX_PACKET) {
            return -++refused;
        }
        doHtoLDMA(TX_BUF, 0, offset, length);
        txPush(TX_BUF, 0, channel, length);
        return 1;
    }

    /** Writes the payload to its place in the window, or delivers it as an ordinary message. */
    static int doRx(int length, int channel) {
        if (length < HEADER) {
            return -++refused;
        }
        int payload = length - HEADER;
        int offset = (RxBuf[0] & 0xff) << 24 | (RxBuf[1] & 0xff) << 16
                | (RxBuf[2] & 0xff) << 8 | RxBuf[3] & 0xff;
        if (offset == -1) {
            return deliver(payload, channel);
        }
        int shares = (payload + BUFFER_LENGTH - 1) / BUFFER_LENGTH;
        // Not offset + payload <= WINDOW_LENGTH, because a forged offset makes the sum overflow.
        if (offset < 0 || payload == 0 || payload > WINDOW_LENGTH
                || offset > WINDOW_LENGTH - payload || shares > SHARES_MAX) {
            return -++refused;
        }
        doLtoHDMA(RxBuf, HEADER, WINDOW + offset, payload);
        for (int i = 0; i < shares; i++) {
            SHARES[i] = WINDOW + offset + i * BUFFER_LENGTH;
        }
        dmaRxd(SHARES, channel, payload);
        return ++placed;
    }

    /** Delivers a message in the descriptor or in a free buffer. */
    private static int deliver(int length, int channel) {
        if (length <= INLINE_MAX) {
            for (int i = 0; i < length; i++) {
                SHORT[i] = RxBuf[HEADER + i];
            }
            dmaRxdPayload(SHORT, channel, length);
            return ++ordinary;
        }
        SHARES[0] = length <= BUFFER_LENGTH ? getFreeBuffer() : -1;
        if (SHARES[0] == -1) {
            return -++undelivered;
        }
        doLtoHDMA(RxBuf, HEADER, SHARES[0], length);
        dmaRxd(SHARES, channel, length);
        return ++ordinary;
    }
}
