/** A method that every object has. */
class HashCode {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return hashCode(); // here
    }
}
