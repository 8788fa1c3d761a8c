import static unet.Nic.*;

/** The second version of {@link SwapOld}: traces what it finds in the fields that both have. */
public class SwapNew {
    static final int VERSION = 2;

    static byte[] RxBuf;
    static final byte[] txBuf = new byte[512];

    /** The array of the first version wins, although this one is longer. */
    static final int[] counts = new int[8];
    static int[] alias = new int[5];

    static short[] none = new short[3];
    static byte[] view;
    int seen = 1000;
    static short changed = 5;
    static boolean flag;
    static byte small;

    /** The first version has no such field. */
    static final byte[] added = {7, 8, 9};
    static final byte[] again = added;

    static int doTx(int length, int channel, int offset) {
        counts[2]++;
        doHtoLDMA(txBuf, 0, offset, length);
        txPush(txBuf, 0, channel, length);
        return VERSION;
    }

    int doRx(int length, int channel) {
        seen++;
        alias[3]++;
        trace(1, counts.length);
        trace(2, alias == counts ? 1 : 0);
        trace(3, none == null ? 1 : 0);
        trace(4, view == RxBuf ? 1 : 0);
        trace(5, changed);
        trace(6, flag ? 1 : 0);
        trace(7, small);
        trace(8, added[1] + (again == added ? 100 : 0));
        dmaRxdPayload(RxBuf, channel, length);
        return VERSION;
    }

    int doTimer() {
        trace(9, VERSION);
        return VERSION;
    }
}
