/** Composes numbers of bytes with a sign. */
class ByteSign {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        if (length < 4) {
            return 0;
        }
        int port = (RxBuf[0] & 0xff) << 8 | RxBuf[1]; // warned
        int sum = ((RxBuf[2] & 0xff) << 8) + RxBuf[3]; // warned
        int address = (RxBuf[0] & 0xff) << 16 | RxBuf[1] << 8 | (RxBuf[2] & 0xff); // warned
        return port + sum + address;
    }
}
