/** A byte counter that should last. */
class LongField {
    byte[] RxBuf;
    long total; // here

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        total += length;
        return 0;
    }
}
