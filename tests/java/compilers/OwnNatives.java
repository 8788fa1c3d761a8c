/**
 * An applet as one could write it for the compilers of 1998: no static import, so it declares the
 * natives that it uses as methods of its own, some static and some not.
 */
public class OwnNatives {
    private byte[] TxBuf;
    private byte[] RxBuf;
    private int[] offsets;
    private int received;

    static native byte[] newAlignedArray(int length);
    static native int getFreeBuffer();
    native void doHtoLDMA(byte[] to, int toOffset, int hostOffset, int length);
    native void doLtoHDMA(byte[] from, int fromOffset, int hostOffset, int length);
    private native void txPush(byte[] buffer, int offset, int channel, int length);
    private static native void dmaRxd(int[] offsets, int channel, int length);
    final native void dmaRxdPayload(byte[] from, int channel, int length);

    public OwnNatives() {
        TxBuf = newAlignedArray(4096);
        offsets = new int[14];
    }

    protected int doTx(int length, int channel, int offset) {
        doHtoLDMA(TxBuf, 0, offset, length);
        txPush(TxBuf, 0, channel, length);
        return 0;
    }

    protected int doRx(int length, int channel) {
        received++;
        if (length <= 56) {
            dmaRxdPayload(RxBuf, channel, length);
            return received;
        }
        int offset = getFreeBuffer();
        if (offset >= 0) {
            doLtoHDMA(RxBuf, 0, offset, length);
            offsets[0] = offset;
            dmaRxd(offsets, channel, length);
        }
        return received;
    }
}
