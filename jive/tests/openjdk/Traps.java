import static unet.Nic.*;

/** Traps in a way that the first byte of the packet selects. */
public class Traps {
    static byte[] RxBuf;
    static int[] numbers = {7, 0};
    static int calls;
    static byte[] nothing;

    static int doTx(int length, int channel, int offset) {
        doHtoLDMA(RxBuf, 0, offset, length);
        txPush(RxBuf, 0, channel, length);
        return 0;
    }

    static int doRx(int length, int channel) {
        calls++;
        return deeper(RxBuf[0], channel);
    }

    private static int deeper(int kind, int channel) {
        switch (kind) {
            case 'a':
                return numbers[0] / numbers[1];
            case 'b':
                return numbers[length(RxBuf)];
            case 'c':
                return nothing[0];
            case 'd':
                return newAlignedArray(-channel).length;
            case 'e':
                txPush(RxBuf, 0, channel + 1, 1);
                return 0;
            case 'f':
                while (true) {
                    txPush(RxBuf, 0, channel, 1);
                }
            case 'g':
                dmaRxd(null, channel, 1);
                return 0;
            case 'h':
                doLtoHDMA(RxBuf, 0, 65_500, 100);
                return 0;
            case 'i':
                return deeper(kind, channel);
            default:
                return 1;
        }
    }

    private static int length(byte[] array) {
        return array.length;
    }
}
