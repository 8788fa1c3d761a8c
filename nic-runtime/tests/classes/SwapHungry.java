/**
 * A version of {@link SwapOld} whose own array and the carried-over ones do not fit in a heap of 1,000 bytes together.
 */
public class SwapHungry {
    static byte[] RxBuf;
    static byte[] txBuf;
    static final byte[] own = new byte[900];

    static int doTx(int length, int channel, int offset) {
        return 3;
    }

    static int doRx(int length, int channel) {
        return 3;
    }
}
