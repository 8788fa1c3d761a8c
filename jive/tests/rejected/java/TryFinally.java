/** Something that is always done. */
class TryFinally {
    byte[] RxBuf;
    int calls;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        int before = calls;
        try {
            calls = before + length; // here
        } finally {
            calls++;
        }
        return 0;
    }
}
