/** Reads a byte that a short packet does not have. */
class StaleBytes {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        return RxBuf[9] == 17 ? length : 0; // warned
    }
}
