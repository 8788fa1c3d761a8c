/** Makes arrays that fit, or that are made on different paths, or whose length is not known. */
class HeapDemandSmall {
    static byte[] RxBuf;
    static final int[] FIRST = new int[4000];

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        if (channel == 1) {
            byte[] one = new byte[20000];
            return one.length;
        }
        byte[] other = new byte[20000];
        byte[] asLong = new byte[length * 1000];
        return other.length + asLong.length;
    }
}
