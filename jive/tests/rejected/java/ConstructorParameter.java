/** An applet whose constructor wants to be told something. */
class ConstructorParameter {
    byte[] RxBuf;
    int size;

    ConstructorParameter(int size) { // here
        this.size = size;
    }

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }
}
