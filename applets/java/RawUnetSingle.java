import static unet.Nic.*;

/**
 * The sample applet of the U-Net/SLE paper (Figure 2), corrected so that it compiles: without a
 * free buffer it executes {@code return 0}, where the figure has a bare {@code return}. It also
 * imports the natives.
 *
 * <p>Like the figure, it assumes that any message fits in a free buffer, and that no message is
 * longer than {@code TxBuf}. {@code RawUnet} makes neither assumption.
 */
public class RawUnetSingle {
    public static byte[] TxBuf;
    public static byte[] RxBuf;
    public static int freebufferlen;
    public static int[] offsets;

    RawUnetSingle() {
        TxBuf = newAlignedArray(4096);
        freebufferlen = getFreeBufferLength();
        offsets = new int[14];
    }

    private static int doTx(int length, int channel, int off) {
        doHtoLDMA(TxBuf, 0, off, length);
        txPush(TxBuf, 0, channel, length);
        return 0;
    }

    private static int doRx(int length, int channel) {
        if (length <= 56) { /* Optimization for small msgs */
            dmaRxdPayload(RxBuf, channel, length);
        } else {
            int dma_offset = getFreeBuffer();
            if (dma_offset == -1) return 0; /* No buffer available; drop */
            doLtoHDMA(RxBuf, 0, dma_offset, length);
            offsets[0] = dma_offset;
            dmaRxd(offsets, channel, length);
        }
        return 0;
    }
}
