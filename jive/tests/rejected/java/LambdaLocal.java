/** A function made on the way. */
class LambdaLocal {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        Runnable action = () -> { }; // here
        return 0;
    }
}
