import java.util.Arrays;

/** An array cleared by the library. */
class ArrayFill {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        Arrays.fill(RxBuf, (byte) 0); // here
        return 0;
    }
}
