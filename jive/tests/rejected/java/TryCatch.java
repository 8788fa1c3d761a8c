/** A bound that is caught instead of tested. */
class TryCatch {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        try {
            return RxBuf[length]; // here
        } catch (ArrayIndexOutOfBoundsException beyond) {
            return -1;
        }
    }
}
