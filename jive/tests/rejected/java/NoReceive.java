/** Half an applet. */
class NoReceive { // here
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }
}
