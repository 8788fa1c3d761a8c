/** A lock around a method. */
class SynchronizedMethod {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    synchronized int doRx(int length, int channel) { // here
        return 0;
    }
}
