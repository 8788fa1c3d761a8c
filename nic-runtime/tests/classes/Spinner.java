/** Never returns. */
public class Spinner {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        for (;;) {
        }
    }

    static int doRx(int length, int channel) {
        return doTx(0, 0, 0);
    }
}
