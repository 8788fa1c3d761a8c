/** A parameter that is a text. */
class StringSwitch {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }

    int kind(String name) { // here
        return 0;
    }
}
