/** Uses the constants of an enum of another file. */
class EnumConstant {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        return length > 0 ? Colour.RED.ordinal() : 0; // here
    }
}
