/** A product that does not fit in an int. */
class LongLocal {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        int half = length / 2;
        long product = (long) length * channel; // here
        return (int) product;
    }
}
