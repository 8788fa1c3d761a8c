/** Masks to get an unsigned number. */
class UnsignedShift {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return (int) ((length & 0xffffffffL) % 97); // here
    }
}
