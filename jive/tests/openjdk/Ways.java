/** Uses every native, declared by the class itself, and every entry. */
public class Ways {
    static int WINDOW = 2;
    static final int[] KEYS = {1, 2, 3};
    static final short[] ring;
    static boolean[] seen = new boolean[3];

    static {
        // The first store to a field that the scenario sets is ignored, and only the first.
        for (int i = 0; i < 2; i++) {
            WINDOW = WINDOW + 1;
        }
        ring = new short[WINDOW * KEYS.length];
    }

    byte[] RxBuf;
    private final int longest;
    private final Ways self;
    private byte low;
    private int[] offsets = new int[4];
    private byte[] out;

    Ways() {
        longest = RxBuf.length;
        self = this;
        out = newAlignedArray(longest);
        setTimer(300);
    }

    native byte[] newAlignedArray(int length);

    static native int getFreeBufferLength();

    static native int getFreeBuffer();

    native void doHtoLDMA(byte[] to, int toOffset, int hostOffset, int length);

    native void doLtoHDMA(byte[] from, int fromOffset, int hostOffset, int length);

    native void txPush(byte[] buffer, int offset, int channel, int length);

    native void dmaRxd(int[] offsets, int channel, int length);

    native void dmaRxdPayload(byte[] from, int channel, int length);

    static native int currentTime();

    native void setTimer(int microseconds);

    static native void trace(int tag, int value);

    int doTx(int length, int channel, int offset) {
        doHtoLDMA(out, 0, offset, length);
        out[0] += low;
        txPush(out, 0, channel, length);
        ring[length % ring.length] = (short) (currentTime() * 12345);
        return WINDOW;
    }

    int doRx(int length, int channel) {
        low += 100;
        seen[length % 3] ^= true;
        if (length < 10) {
            dmaRxdPayload(RxBuf, channel, length);
            return low;
        }
        int shares = (length + getFreeBufferLength() - 1) / getFreeBufferLength();
        for (int i = 0; i < shares; i++) {
            offsets[i] = getFreeBuffer();
            if (offsets[i] < 0) {
                return -1;
            }
        }
        for (int i = 0, done = 0; i < shares; i++, done += getFreeBufferLength()) {
            int share = length - done < getFreeBufferLength() ? length - done : getFreeBufferLength();
            doLtoHDMA(RxBuf, done, offsets[i], share);
        }
        dmaRxd(offsets, channel, length);
        return shares;
    }

    int doTimer() {
        trace(1, currentTime());
        setTimer(700);
        return low;
    }

    int doRefill(int length, int channel, int offset) {
        trace(channel, offset);
        return length;
    }
}
