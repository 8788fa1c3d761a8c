/** The time of day. */
class Clock {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return (int) System.nanoTime(); // here
    }
}
