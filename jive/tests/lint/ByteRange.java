/** Compares bytes with numbers that no byte has. */
class ByteRange {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        if (length < 2) {
            return 0;
        }
        if (RxBuf[0] == 0xff) { // warned
            return 1;
        }
        byte first = RxBuf[1];
        return 128 == first ? 2 : 3; // warned
    }
}
