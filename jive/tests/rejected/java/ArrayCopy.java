/** A copy by the library. */
class ArrayCopy {
    byte[] RxBuf;
    byte[] copy = new byte[64];

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        System.arraycopy(RxBuf, 0, copy, 0, length); // here
        return 0;
    }
}
