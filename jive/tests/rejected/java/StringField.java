/** A name. */
class StringField {
    byte[] RxBuf;
    String name; // here

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }
}
