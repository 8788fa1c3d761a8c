/** Two constructors. */
class TwoConstructors {
    byte[] RxBuf;
    int size;

    TwoConstructors() {
        size = 16;
    }

    TwoConstructors(int size) { // here
        this.size = size;
    }

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return size;
    }
}
