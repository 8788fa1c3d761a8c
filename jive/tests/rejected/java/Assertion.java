/** An assertion. */
class Assertion {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        assert length > 0; // here
        return 0;
    }
}
