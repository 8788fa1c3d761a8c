/** A function kept in a field. */
class Lambda {
    byte[] RxBuf;
    Runnable action; // here

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }
}
