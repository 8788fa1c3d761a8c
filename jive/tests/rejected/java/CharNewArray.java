/** Letters made on the way. */
class CharNewArray {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return new char[4].length; // here
    }
}
