/** An average. */
class DoubleField {
    byte[] RxBuf;
    double average; // here

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }
}
