/** A class that implements an interface. */
class Implementing implements Cloneable { // here
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }
}
