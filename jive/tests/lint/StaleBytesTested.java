/** Reads a byte after testing the length, and in a loop up to it. */
class StaleBytesTested {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        if (length - 9 <= 0) {
            return 0;
        }
        int sum = RxBuf[9];
        for (int i = 0; i < length; i++) {
            sum += RxBuf[i];
        }
        return sum;
    }
}
