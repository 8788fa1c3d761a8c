import static unet.Nic.*;

/**
 * A multicast tree of NICs: the root's user sends once, and each NIC passes the message on to its
 * children and delivers it. No host forwards anything.
 *
 * <pre>
 *  | payload, 0 to 9,000 bytes | sequence | hops |
 *  |                           |    4     |  1   |
 *
 *           root              PARENT = -1, CHILDREN = [1, 2]
 *          /    \
 *       1 /      \ 2
 *        a        b           PARENT = 1, CHILDREN = [2, 3]
 *                / \
 *             2 /   \ 3
 *              c     d        PARENT = 1, CHILDREN = []
 * </pre>
 *
 * <p>A repetition has an old sequence number and goes no further. A message that has passed
 * {@link #HOPS_MAX} NICs is dropped, so a circle in the tree cannot keep it alive. Only the root
 * sends: what the user of another member sends is refused.
 */
public class Multicast {
    /** Longest message that fits in a receive descriptor, and length of the trailer, in bytes. */
    static final int INLINE_MAX = 56, TRAILER = 5;

    /** Longest message, in bytes. */
    static final int MESSAGE_MAX = 9000;

    /** The channel towards the root, or -1 at the root. The host sets it. */
    static int PARENT = -1;

    /** The channels away from the root. The host sets them. */
    static int[] CHILDREN = new int[0];

    /** Most NICs that a message passes, 1 to 127. The host sets it. */
    static int HOPS_MAX = 16;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final byte[] TX_BUF = newAlignedArray(PARENT == -1 ? MESSAGE_MAX + TRAILER : 0);
    static final int[] BUFFERS = new int[1];
    static final int BUFFER_LENGTH = getFreeBufferLength();

    /** The sequence number that the root sends next, or that another member expects at least. */
    static int sequence;

    /** Counters: repetitions, malformed packets and messages, and messages without a buffer. */
    static int repeated, refused, undelivered;

    /** Sends a message to every member. One transfer from the host serves all children. */
    static int doTx(int length, int channel, int offset) {
        if (PARENT != -1 || length > MESSAGE_MAX) {
            return -++refused;
        }
        doHtoLDMA(TX_BUF, 0, offset, length);
        for (int i = 0; i < 4; i++) {
            TX_BUF[length + i] = (byte) (sequence >>> 24 - 8 * i);
        }
        TX_BUF[length + 4] = 1;
        sequence++;
        forward(TX_BUF, length + TRAILER);
        return sequence;
    }

    /** Passes a message on to the children, and delivers it. */
    static int doRx(int length, int channel) {
        int end = length - TRAILER;
        // Only the parent is believed, so a child cannot speak for the root.
        if (channel != PARENT || end < 0 || RxBuf[end + 4] < 1 || RxBuf[end + 4] > HOPS_MAX) {
            return -++refused;
        }
        int number = 0;
        for (int i = 0; i < 4; i++) {
            number = number << 8 | RxBuf[end + i] & 0xff;
        }
        // Sequence numbers wrap, so only their difference is compared.
        if (number - sequence < 0) {
            return -++repeated;
        }
        sequence = number + 1;
        RxBuf[end + 4]++;
        if (RxBuf[end + 4] >= 1 && RxBuf[end + 4] <= HOPS_MAX) {
            forward(RxBuf, length);
        }
        deliver(end, channel);
        return sequence;
    }

    private static void forward(byte[] packet, int length) {
        int count = CHILDREN.length;
        for (int i = 0; i < count; i++) {
            txPush(packet, 0, CHILDREN[i], length);
        }
    }

    /** Delivers a message in the descriptor or in a free buffer. */
    private static void deliver(int length, int channel) {
        if (length <= INLINE_MAX) {
            dmaRxdPayload(RxBuf, channel, length);
            return;
        }
        BUFFERS[0] = length <= BUFFER_LENGTH ? getFreeBuffer() : -1;
        if (BUFFERS[0] == -1) {
            undelivered++;
            return;
        }
        doLtoHDMA(RxBuf, 0, BUFFERS[0], length);
        dmaRxd(BUFFERS, channel, length);
    }
}
