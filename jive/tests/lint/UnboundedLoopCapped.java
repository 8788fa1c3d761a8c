/** Counts to a field that changes within the loop, and whose values all stores limit. */
class UnboundedLoopCapped {
    static byte[] RxBuf;
    static final int MAX = 8;
    static int[] keys = new int[MAX];
    static int count;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        for (int i = 0; i < count; i++) {
            if (keys[i] == length) {
                remove(i);
            }
        }
        if (count < MAX) {
            keys[count] = length;
            count++;
        }
        return count;
    }

    static void remove(int at) {
        if (count > 0) {
            count = count - 1;
            keys[at] = keys[count];
        }
    }
}
