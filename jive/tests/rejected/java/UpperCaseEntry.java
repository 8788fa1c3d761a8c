/** An entry whose name ends with a capital letter. */
class UpperCaseEntry {
    static byte[] RxBuf;

    static int doTX(int length, int channel, int offset) { // here
        return 0;
    }

    static int doRx(int length, int channel) {
        return 0;
    }
}
