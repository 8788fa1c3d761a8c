/** Compares a parameter and a result of type byte with numbers that no byte has. */
class ByteParameter {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        if (length < 2 || first() == 200) { // warned
            return 0;
        }
        return kind(length, RxBuf[1]);
    }

    static byte first() {
        return RxBuf[0];
    }

    static int kind(int length, byte kind) {
        return kind == 0xc0 ? length : 0; // warned
    }
}
