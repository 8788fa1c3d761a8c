/** Compares bytes with computed numbers, both without a sign or both with one. */
class ByteComputedMasked {
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
        if ((RxBuf[0] & 0xff) == (sum & 0xff) || RxBuf[0] == (byte) sum || RxBuf[3] == (sum & 0x7f)) {
            return 1;
        }
        // The field may be meant as a byte with its sign, and an order is right for small numbers.
        return RxBuf[3] == last || RxBuf[3] < last + 1 || RxBuf[1] == RxBuf[2] ? 2 : 3;
    }
}
