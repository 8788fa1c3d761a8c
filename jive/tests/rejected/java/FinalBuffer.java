/** A receive buffer that cannot be set. */
class FinalBuffer {
    final byte[] RxBuf = new byte[64]; // here

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }
}
