/** A call through an interface. */
class InterfaceCall {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }

    void run(Runnable action) { // here
        action.run();
    }
}
