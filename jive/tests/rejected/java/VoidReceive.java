/** An applet whose doRx returns nothing. */
class VoidReceive {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    void doRx(int length, int channel) { // here
    }
}
