/** An applet whose doTx takes too few parameters. */
class TwoArguments {
    byte[] RxBuf;

    int doTx(int length, int channel) { // here
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }
}
