/** A check that throws. */
class ThrowException {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        if (length < 20) {
            throw new IllegalArgumentException(); // here
        }
        return 0;
    }
}
