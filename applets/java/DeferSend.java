import static unet.Nic.*;

/**
 * Flow control for a VI: a message waits in the NIC until the peer has posted a receive descriptor
 * for it ("VIA over the CLAN network", extension 1). A credit stands for a posted descriptor. It
 * returns from {@code doRefill}, inside the peer's NIC.
 *
 * <pre>
 *  a message:  | payload, 0 to 4,000 bytes | 0 |        a credit:  | 1 |
 *
 *  sender            receiver          its user
 *    |--- payload, 0 -->|--- descriptor -->|
 *    |                  |<-- posts again --|      doRefill
 *    |<------- 1 -------|                  |
 * </pre>
 *
 * <p>Both ends have this applet. Immediate data travels with its message, but a message that has
 * waited loses immediate data of 0.
 */
public class DeferSend {
    /** Longest message, in bytes. */
    static final int MESSAGE_MAX = 4000;

    /** Last byte of a packet. */
    static final byte MESSAGE = 0, CREDIT = 1;

    /** Receive descriptors that the peer has posted when the run starts. The host sets it. */
    static int CREDITS = 8;

    /** Messages that can wait, and bytes for each of them. The host sets them. */
    static int QUEUE = 32, SLOT = 256;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final int PLACES = limited(QUEUE, 1, 64);
    static final int SPACE = limited(SLOT, 1, MESSAGE_MAX) + 1;

    static final byte[] TX_BUF = newAlignedArray(MESSAGE_MAX + 1);
    static final byte[] NOTICE = newAlignedArray(1);
    static final int[] BUFFER = new int[1];

    /** A ring of waiting messages: bytes, lengths of packets, and immediate data. */
    static final byte[] QUEUED = new byte[PLACES * SPACE];
    static final int[] LENGTH = new int[PLACES], DATA = new int[PLACES];
    static int first, queued;

    /** Receive descriptors of the peer that no message has taken. */
    static int credits = CREDITS;

    /** Counters: messages too long or too many to wait, and packets without a descriptor that holds them. */
    static int refused, overrun;

    /** Sends a message if the peer has a descriptor for it, or makes it wait. */
    static int doTx(int length, int channel, int offset) {
        if (length > MESSAGE_MAX) {
            return -++refused;
        }
        if (credits > 0) {
            credits--;
            doHtoLDMA(TX_BUF, 0, offset, length);
            TX_BUF[length] = MESSAGE;
            txPush(TX_BUF, 0, channel, length + 1);
            return 1;
        }
        if (queued == PLACES || length >= SPACE) {
            return -++refused;
        }
        int place = (first + queued) % PLACES;
        doHtoLDMA(QUEUED, place * SPACE, offset, length);
        QUEUED[place * SPACE + length] = MESSAGE;
        LENGTH[place] = length + 1;
        DATA[place] = immediate();
        queued++;
        return 0;
    }

    /** Delivers a message, or sends the oldest one that waits for a credit. */
    static int doRx(int length, int channel) {
        if (length == 0) {
            return -++overrun;
        }
        if (RxBuf[length - 1] == CREDIT) {
            credits++;
            return sendQueued(channel);
        }
        if (length - 1 > getFreeBufferLength()) {
            return -++overrun;
        }
        BUFFER[0] = getFreeBuffer();
        if (BUFFER[0] == -1) {
            return -++overrun;
        }
        doLtoHDMA(RxBuf, 0, BUFFER[0], length - 1);
        dmaRxd(BUFFER, channel, length - 1);
        return 1;
    }

    /** The user has posted a receive descriptor again, which is a credit for the peer. */
    static int doRefill(int length, int channel, int offset) {
        NOTICE[0] = CREDIT;
        txPush(NOTICE, 0, channel, 1);
        return 1;
    }

    private static int sendQueued(int channel) {
        if (queued == 0) {
            return 0;
        }
        int place = first;
        first = (first + 1) % PLACES;
        queued--;
        credits--;
        if (DATA[place] != 0) {
            setImmediate(DATA[place]);
        }
        txPush(QUEUED, place * SPACE, channel, LENGTH[place]);
        return 1;
    }

    private static int limited(int value, int least, int most) {
        return value < least ? least : value > most ? most : value;
    }
}
