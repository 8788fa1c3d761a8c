/** Two methods of one name. */
class Overload {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return hash(length) + hash(length, channel);
    }

    int hash(int a) {
        return a;
    }

    int hash(int a, int b) { // here
        return a + b;
    }
}
