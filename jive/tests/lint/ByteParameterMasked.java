/** Compares a parameter and a result of type byte with numbers, after it has removed their signs. */
class ByteParameterMasked {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        if (length < 2 || (first() & 0xff) == 200) {
            return 0;
        }
        return kind(RxBuf[1] & 0xff, RxBuf[1]);
    }

    static byte first() {
        return RxBuf[0];
    }

    static int kind(int unsigned, byte kind) {
        return unsigned == 0xc0 && kind == -64 ? 1 : 0;
    }
}
