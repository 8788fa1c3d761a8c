/** Anything at all. */
class ObjectField {
    byte[] RxBuf;
    Object owner; // here

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }
}
