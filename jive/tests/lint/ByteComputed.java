/** Compares bytes, which have a sign, with computed numbers. */
class ByteComputed {
    static byte[] RxBuf;
    static int last;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        if (length < 4) {
            return 0;
        }
        int sum = RxBuf[1] + RxBuf[2];
        if (RxBuf[0] == (sum & 0xff)) { // warned
            return 1;
        }
        if (last + 1 != RxBuf[3]) { // warned
            return 2;
        }
        return RxBuf[0] == sum ? 3 : 4; // warned
    }
}
