/** A null that is thrown. */
class Rethrow {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        throw null; // here
    }
}
