import static unet.Nic.*;

/**
 * The first version of an applet that is replaced while it runs: sends messages unchanged, passes short packets to the
 * host, and counts both. {@link SwapNew} is the second version.
 */
public class SwapOld {
    static final int VERSION = 1;

    static byte[] RxBuf;
    static final byte[] txBuf = new byte[512];

    /** Carried over: two fields name one array. */
    static final int[] counts = new int[4];
    static int[] alias = counts;

    /** Carried over: null stays null, and a view of RxBuf becomes a view of the new RxBuf. */
    static short[] none;
    static byte[] view;

    /** Carried over into an instance field. */
    static int seen;

    /** Not carried over: the second version has another type. */
    static int changed = 77;

    static boolean flag;
    static byte small = -3;

    static int doTx(int length, int channel, int offset) {
        counts[0]++;
        doHtoLDMA(txBuf, 0, offset, length);
        txPush(txBuf, 0, channel, length);
        return VERSION;
    }

    static int doRx(int length, int channel) {
        alias[1]++;
        seen++;
        flag = true;
        view = RxBuf;
        dmaRxdPayload(RxBuf, channel, length);
        return VERSION;
    }
}
