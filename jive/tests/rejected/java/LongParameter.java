/** A parameter of 64 bits. */
class LongParameter {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }

    int low(int a, long word) { // here
        return a;
    }
}
