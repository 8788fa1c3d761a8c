/** A native with parameters of its own. */
class NativeParameters {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }

    native void txPush(byte[] buffer, int length); // here
}
