/** A table of rows. */
class TwoDimensions {
    byte[] RxBuf;
    byte[][] table; // here

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }
}
