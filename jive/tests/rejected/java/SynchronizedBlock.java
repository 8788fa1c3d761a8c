/** A lock around a counter. */
class SynchronizedBlock {
    byte[] RxBuf;
    int calls;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        synchronized (this) { // here
            calls++;
        }
        return 0;
    }
}
