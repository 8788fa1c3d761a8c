/** A text whose length is taken. */
class StringLiteral {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return "hello".length(); // here
    }
}
