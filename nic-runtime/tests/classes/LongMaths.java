/** Has the members of an applet, and computes with `long` in one of them. */
public class LongMaths {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        int doubled = length * 2;
        long product = (long) doubled * channel;
        return (int) product;
    }
}
