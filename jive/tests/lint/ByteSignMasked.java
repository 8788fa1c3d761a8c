/** Composes numbers of masked bytes; only the highest keeps its sign. */
class ByteSignMasked {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        if (length < 4) {
            return 0;
        }
        int port = (RxBuf[0] & 0xff) << 8 | (RxBuf[1] & 0xff);
        int signed = RxBuf[0] << 24 | (RxBuf[1] & 0xff) << 16 | (RxBuf[2] & 0xff) << 8 | RxBuf[3] & 0xff;
        short low = (short) (RxBuf[2] << 8 | RxBuf[3] & 0xff);
        int sum = RxBuf[0] + RxBuf[1];
        return port + signed + low + sum;
    }
}
