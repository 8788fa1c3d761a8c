/** Letters in an array. */
class CharArray {
    byte[] RxBuf;
    char[] letters; // here

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return letters.length;
    }
}
