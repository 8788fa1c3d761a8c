import static unet.Nic.*;

/** Sends a packet, and answers each packet with two. */
public class Volley {
    static byte[] RxBuf;
    static byte[] one = newAlignedArray(1);

    static int doTx(int length, int channel, int offset) {
        txPush(one, 0, channel, 1);
        return 0;
    }

    static int doRx(int length, int channel) {
        txPush(one, 0, channel, 1);
        txPush(one, 0, channel, 1);
        return 0;
    }
}
