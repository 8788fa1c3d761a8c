import static unet.Nic.*;

/**
 * Does one kind of harm for each message; the message's length says which. Channel 1 leads to another
 * endpoint, channel 2 to this one.
 */
public class Hostile {
    static final int PEER = 1;
    static final int SELF = 2;

    /** Values at the boundaries of every parameter. */
    static final int[] BOUNDARIES = {
        Integer.MIN_VALUE, -1, 0, 1, 4095, 4096, 65535, 65536, 0x7ffffff7, Integer.MAX_VALUE
    };

    static byte[] RxBuf;
    static final byte[] BUF = newAlignedArray(4096);
    static final int[] OFFSETS = new int[14];

    /** How often a packet to itself was sent on, and which boundary is next. */
    static int hops;
    static int next;

    static int doTx(int length, int channel, int offset) {
        return harm(length);
    }

    static int doRx(int length, int channel) {
        return harm(length);
    }

    private static int harm(int kind) {
        switch (kind) {
            case 1: // endless loop
                while (true) {
                    hops = 0;
                }
            case 2: // every bytecode of its budget
                return spend();
            case 3: // trap storm
                return kind / (kind - 3);
            case 4: // send storm
                while (true) {
                    txPush(BUF, 0, PEER, 1);
                }
            case 5: // DMA storm
                while (true) {
                    doHtoLDMA(BUF, 0, 0, 1500);
                }
            case 6: // heap exhaustion
                while (true) {
                    byte[] garbage = new byte[512];
                    garbage[0] = 1;
                }
            case 7: // recursion
                return recurse(1);
            case 8: // oversized requests
                txPush(BUF, 0, PEER, 1 << 30);
                return 0;
            case 9: // queue hog
                for (int i = 0; i < 70; i++) {
                    dmaRxdPayload(BUF, PEER, 1);
                }
                return 0;
            case 10: // packets to itself, twenty of them
                hops++;
                if (hops % 20 != 0) {
                    txPush(BUF, 0, SELF, kind);
                }
                return hops;
            case 11: // free-buffer hoarding
                while (getFreeBuffer() != -1) {
                    hops++;
                }
                return hops;
            case 12: // requests at every boundary value
                return boundary();
            case 13: // descriptors of others' memory
                OFFSETS[0] = -65536;
                dmaRxd(OFFSETS, PEER, 4096);
                return 0;
            case 14: // packets to itself without end
                txPush(BUF, 0, SELF, kind);
                return 0;
            default:
                return 0;
        }
    }

    private static int spend() {
        int sum = 0;
        for (int i = 0; i < 100; i++) {
            sum += i;
        }
        return sum;
    }

    private static int recurse(int depth) {
        return recurse(depth + 1) + 1;
    }

    /** One native, one value at a time, since the first that is refused ends the call. */
    private static int boundary() {
        int value = BOUNDARIES[next % BOUNDARIES.length];
        int which = next / BOUNDARIES.length % 8;
        next++;
        switch (which) {
            case 0:
                doHtoLDMA(BUF, value, 0, 1);
                break;
            case 1:
                doHtoLDMA(BUF, 0, value, 1);
                break;
            case 2:
                doLtoHDMA(BUF, 0, value, 1);
                break;
            case 3:
                doLtoHDMA(BUF, 0, 0, value);
                break;
            case 4:
                txPush(BUF, value, PEER, 1);
                break;
            case 5:
                txPush(BUF, 0, value, 1);
                break;
            case 6:
                dmaRxdPayload(BUF, PEER, value);
                break;
            default:
                newAlignedArray(value);
                break;
        }
        return which;
    }
}
