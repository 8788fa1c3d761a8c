import java.util.ArrayList;

/** A list that grows. */
class NewList {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        new ArrayList<Integer>(); // here
        return 0;
    }
}
