/** Follows offsets that the packet chooses, so many times at most. */
class UnboundedLoopCounted {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        int at = 0;
        for (int i = 0; i < 16 && at >= 0 && at < length; i++) {
            at += RxBuf[at];
        }
        return at;
    }
}
