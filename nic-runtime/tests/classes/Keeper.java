import static unet.Nic.*;

/** Makes an array for each packet and keeps the last three in fields: only a collected heap allows it. */
public class Keeper {
    byte[] RxBuf;

    static byte[] first, second, third;

    /** Packets whose kept arrays had the bytes with which they were made. */
    static int good;

    static int packets;

    int doTx(int length, int channel, int offset) {
        byte[] buffer = newAlignedArray(length);
        doHtoLDMA(buffer, 0, offset, length);
        txPush(buffer, 0, channel, length);
        return 0;
    }

    int doRx(int length, int channel) {
        packets++;
        byte[] made = new byte[40 + length % 7];
        int[] garbage = new int[20];
        for (int i = 0; i < made.length; i++) {
            made[i] = (byte) (packets + i);
        }
        garbage[3] = isGood(third, packets - 3) + isGood(second, packets - 2) + isGood(first, packets - 1);
        third = second;
        second = first;
        first = made;
        if (garbage[3] == 3 && isGood(made, packets) == 1) {
            good++;
        }
        dmaRxdPayload(newAlignedArray(8), channel, 8);
        return 0;
    }

    static int isGood(byte[] kept, int number) {
        if (kept == null) {
            return number <= 0 ? 1 : 0;
        }
        short[] more = new short[5];
        for (int i = 0; i < kept.length; i++) {
            if (kept[i] != (byte) (number + i)) {
                return more[0];
            }
        }
        return 1;
    }
}
