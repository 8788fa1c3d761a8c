/** A letter cut out of a number. */
class CharLocal {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        char letter = (char) length; // here
        return letter;
    }
}
