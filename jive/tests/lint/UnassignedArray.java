/** Uses arrays that nobody makes. */
class UnassignedArray {
    byte[] RxBuf;
    int[] counts;
    byte[] copy;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        counts[channel]++; // warned
        byte[] to = copy;
        for (int i = 0; i < length; i++) {
            to[i] = RxBuf[i]; // warned
        }
        return copy.length; // warned
    }
}
