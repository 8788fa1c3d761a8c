/** A constant of 64 bits. */
class LongConstant {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return (int) (length ^ 0x1234567890abcdefL); // here
    }
}
