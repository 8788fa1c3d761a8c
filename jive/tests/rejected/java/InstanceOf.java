/** A type asked for at run time. */
class InstanceOf {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        InstanceOf self = this;
        return self instanceof InstanceOf ? 1 : 0; // here
    }
}
