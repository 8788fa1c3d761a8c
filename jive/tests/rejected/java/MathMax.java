/** A helper of the library. */
class MathMax {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return Math.max(length, 20); // here
    }
}
