/** Computes for a long time while it is loaded: 9 instructions for each of 100,000 rounds. */
public class Brooder {
    static byte[] RxBuf;
    static int sum;

    static {
        for (int i = 0; i < 100_000; i++) {
            sum += i;
        }
    }

    static int doTx(int length, int channel, int offset) {
        return doRx(length, channel);
    }

    /** Takes as many rounds as the packet has bytes. */
    static int doRx(int length, int channel) {
        for (int i = 0; i < length; i++) {
            sum += i;
        }
        return sum;
    }
}
