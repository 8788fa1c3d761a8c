/** A line printed to see what happens. */
class PrintLine {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        System.out.println(length); // here
        return 0;
    }
}
