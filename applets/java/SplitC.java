import static unet.Nic.*;

/**
 * The remote memory operations of Split-C: get, put and fetch-and-add on words of the peer's buffer
 * area. The peer's NIC answers them, and its host does nothing.
 *
 * <pre>
 *  | operation | tag | address | value |     address: of a word in the window, a multiple of 4
 *  |     1     |  4  |    4    |   4   |     tag: the user's, which the answer repeats
 *
 *  user         NIC a                      NIC b              memory of host b
 *    |- ADD 8, 5 ->|- ADD 8, 5 -------------->|- read ----------->|
 *    |             |                          |<- 37 -------------|
 *    |             |                          |- write 42 ------->|
 *    |<- DONE 37 --|<- ADD_DONE 8, 37 --------|                   |
 * </pre>
 *
 * <p>The NIC runs one operation at a time, from its read to its write, so operations on a word are
 * atomic and all peers see them in one order. This needs a NIC whose DMA engine runs all transfers
 * in order, as the paper's does: {@code engines = 1} in the profile.
 */
public class SplitC {
    /** Operations. The answer to an operation has its negative, and a refusal has 0. */
    static final byte GET = 1, PUT = 2, ADD = 3, REFUSED = 0;

    /** Length of every packet. */
    static final int LENGTH = 13;

    /** The words that peers may use, a part of the buffer area. The host sets it. */
    static int WINDOW = 0, WINDOW_LENGTH = 0;

    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    static final byte[] TX_BUF = newAlignedArray(LENGTH);
    static final byte[] WORD = newAlignedArray(4);

    /** Operations of the user without an answer, and operations of peers that this NIC answered. */
    static int open, answered;

    /** Counters: messages and packets without the format, operations outside the window, forgeries. */
    static int malformed, refused, stray;

    /** Sends an operation of the user. */
    static int doTx(int length, int channel, int offset) {
        if (length != LENGTH) {
            return -++malformed;
        }
        doHtoLDMA(TX_BUF, 0, offset, LENGTH);
        if (TX_BUF[0] < GET || TX_BUF[0] > ADD) {
            return -++malformed;
        }
        open++;
        txPush(TX_BUF, 0, channel, LENGTH);
        return open;
    }

    /** Carries out an operation of a peer, or gives an answer to the user. */
    static int doRx(int length, int channel) {
        if (length != LENGTH || RxBuf[0] < -ADD || RxBuf[0] > ADD) {
            return -++malformed;
        }
        if (RxBuf[0] <= REFUSED) {
            if (open == 0) {
                return -++stray;
            }
            open--;
            dmaRxdPayload(RxBuf, channel, LENGTH);
            return open;
        }
        int address = get(RxBuf, 5);
        // Not address + 4 <= WINDOW_LENGTH, because a forged address makes the sum overflow.
        if (address < 0 || address > WINDOW_LENGTH - 4 || (address & 3) != 0 || WINDOW < 0) {
            refused++;
            RxBuf[0] = REFUSED;
        } else {
            operate(RxBuf[0], WINDOW + address);
            RxBuf[0] = (byte) -RxBuf[0];
            answered++;
        }
        txPush(RxBuf, 0, channel, LENGTH);
        return answered;
    }

    /** Reads and writes the word. Puts the value before the operation into the answer. */
    private static void operate(byte operation, int place) {
        int operand = get(RxBuf, 9);
        int old = operand;
        if (operation != PUT) {
            doHtoLDMA(WORD, 0, place, 4);
            old = get(WORD, 0);
        }
        if (operation != GET) {
            put(WORD, 0, operation == ADD ? old + operand : operand);
            doLtoHDMA(WORD, 0, place, 4);
        }
        put(RxBuf, 9, old);
    }

    private static int get(byte[] from, int at) {
        return (from[at] & 0xff) << 24 | (from[at + 1] & 0xff) << 16
                | (from[at + 2] & 0xff) << 8 | from[at + 3] & 0xff;
    }

    private static void put(byte[] to, int at, int value) {
        for (int i = 0; i < 4; i++) {
            to[at + i] = (byte) (value >>> 24 - 8 * i);
        }
    }
}
