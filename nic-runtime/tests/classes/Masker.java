import static unet.Nic.*;

/**
 * Delivers each message with every byte masked, and notes what it has seen in fields of every type. The fourth message
 * is one too many for `lengths`.
 */
public class Masker {
    static byte[] RxBuf;
    static byte[] last = new byte[4];
    static int[] lengths = new int[3];
    static boolean[] isLong = new boolean[3];
    static short[] unused;
    static int[] offsets = new int[1];
    static int packets;
    static byte first;
    static boolean seen;
    short longest;

    static int doTx(int length, int channel, int offset) {
        byte[] message = newAlignedArray(length);
        doHtoLDMA(message, 0, offset, length);
        txPush(message, 0, channel, length);
        return 0;
    }

    int doRx(int length, int channel) {
        for (int i = 0; i < length; i++) {
            RxBuf[i] ^= 0x5A;
        }
        lengths[packets] = length;
        isLong[packets] = length > 56;
        packets++;
        seen = true;
        longest = length > longest ? (short) length : longest;
        for (int i = 0; i < last.length && i < length; i++) {
            last[i] = RxBuf[i];
        }
        first = last[0];
        if (length <= 56) {
            dmaRxdPayload(RxBuf, channel, length);
        } else {
            offsets[0] = getFreeBuffer();
            doLtoHDMA(RxBuf, 0, offsets[0], length);
            dmaRxd(offsets, channel, length);
        }
        return packets;
    }
}
