/** Uses arrays that are made, set from outside, or tested before. */
class UnassignedArrayMade {
    byte[] RxBuf;
    static int[] preset;
    int[] counts = new int[4];
    byte[] copy;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        counts[channel]++;
        byte[] to = length > 1 ? RxBuf : copy;
        return copy == null ? preset[channel] : to[0];
    }
}
