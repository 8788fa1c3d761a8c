/** A rate as a fraction. */
class FloatRate {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return (int) (length * 0.5f); // here
    }
}
