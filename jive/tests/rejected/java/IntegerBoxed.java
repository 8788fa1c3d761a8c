/** A number in a box. */
class IntegerBoxed {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        Integer boxed = length; // here
        return boxed;
    }
}
