/** A table made on the way. */
class TwoDimensionsLocal {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return new int[4][length].length; // here
    }
}
