/** A constant read through a reference. */
class ConstantOfOther {
    byte[] RxBuf;
    final int LIMIT = 7;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return self().LIMIT; // here
    }

    ConstantOfOther self() {
        return this;
    }
}
