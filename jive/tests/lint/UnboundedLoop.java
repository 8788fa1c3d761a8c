/** Follows offsets that the packet chooses. */
class UnboundedLoop {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        int at = 0;
        while (at < length) { // warned
            at += RxBuf[at];
        }
        return at;
    }
}
