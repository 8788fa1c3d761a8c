/** A copy of an array. */
class ArrayClone {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        byte[] copy = RxBuf.clone(); // here
        return copy.length;
    }
}
