/** A receive buffer whose name begins with a small letter. */
class LowerCaseBuffer {
    static byte[] rxBuf; // here

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        return rxBuf[0];
    }
}
