/** A division that should round. */
class DoubleMath {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return (int) (length / 1.5); // here
    }
}
