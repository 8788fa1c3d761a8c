/** Makes more arrays than fit into 24 KiB: together, alone, and alone on one path. */
class HeapDemand {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        byte[] small = new byte[length];
        if (channel == 1) {
            byte[] large = new byte[30000]; // warned
            return large.length;
        }
        return small.length;
    }

    static final int[] FIRST = new int[4000];
    static final short[] SECOND = new short[4400]; // warned
}
