import static unet.Nic.*;

/** Sends a packet and traps; on arrival takes two free buffers, names one in a descriptor and traps. */
public class Trapper {
    static byte[] RxBuf;
    static int[] offsets = new int[1];
    static byte[] one = newAlignedArray(1);

    static int doTx(int length, int channel, int offset) {
        txPush(one, 0, channel, 1);
        return length / (channel - channel);
    }

    static int doRx(int length, int channel) {
        offsets[0] = getFreeBuffer();
        dmaRxd(offsets, channel, 1);
        getFreeBuffer();
        return length / (channel - channel);
    }
}
