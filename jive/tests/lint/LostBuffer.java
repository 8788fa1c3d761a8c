import static unet.Nic.*;

/** Takes a buffer and names it nowhere. */
class LostBuffer {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        if (getFreeBuffer() == -1) { // warned
            return 0;
        }
        dmaRxdPayload(RxBuf, channel, length);
        return 1;
    }
}
