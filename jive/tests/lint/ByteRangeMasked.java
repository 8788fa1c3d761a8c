/** Compares masked bytes, and bytes with numbers of a byte. */
class ByteRangeMasked {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        if (length < 2) {
            return 0;
        }
        if ((RxBuf[0] & 0xff) == 0xff || RxBuf[0] == (byte) 0xfe) {
            return 1;
        }
        return RxBuf[1] == 127 || length == 200 ? 2 : 3;
    }
}
