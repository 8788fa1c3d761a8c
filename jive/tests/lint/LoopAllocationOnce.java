/** Makes an array before the loop, and others while it is loaded. */
class LoopAllocationOnce {
    static byte[] RxBuf;
    static byte[] first;

    static {
        for (int i = 1; i < 4; i++) {
            first = new byte[i];
        }
    }

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        int[] pair = new int[2];
        int sum = 0;
        for (int i = 0; i < length; i++) {
            pair[0] = RxBuf[i];
            sum += pair[0] + first.length;
        }
        return sum;
    }
}
