/** Makes an array in each round. */
class LoopAllocation {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        int sum = 0;
        for (int i = 0; i < length; i++) {
            int[] pair = new int[2]; // warned
            pair[0] = RxBuf[i];
            sum += pair[0];
        }
        return sum;
    }
}
