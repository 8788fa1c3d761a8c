/** A field of a boxed type. */
class LongBoxed {
    static byte[] RxBuf;
    static Long total; // here

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        return 0;
    }
}
