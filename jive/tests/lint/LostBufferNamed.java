import static unet.Nic.*;

/** Takes a buffer and names it in a descriptor. */
class LostBufferNamed {
    static byte[] RxBuf;
    static final int[] OFFSETS = new int[1];

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        int buffer = getFreeBuffer();
        if (buffer == -1) {
            return 0;
        }
        doLtoHDMA(RxBuf, 0, buffer, length);
        OFFSETS[0] = buffer;
        dmaRxd(OFFSETS, channel, length);
        return 1;
    }
}
