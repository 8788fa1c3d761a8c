/** Traps while it is loaded. */
public class Stillborn {
    static byte[] RxBuf;
    static int zero = 1 / (RxBuf.length - RxBuf.length);

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        return 0;
    }
}
