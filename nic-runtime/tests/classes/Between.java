import static unet.Nic.*;

/** Passes messages on in a chain, after it has done what {@code MODE} says. */
public class Between {
    static int MODE;
    static byte[] RxBuf;
    static byte[] buffer = newAlignedArray(256);
    static int[] offsets = new int[2];
    static int refilled, timed;

    static int doTx(int length, int channel, int offset) {
        switch (MODE) {
            case 1: // One byte more than the message has.
                doHtoLDMA(buffer, 0, offset, length + 1);
                break;
            case 2: // From the user's buffer area, beside the message.
                doHtoLDMA(buffer, length, 32768, 4);
                break;
            case 3: // More messages than a round has.
                for (int i = 0; i < 100; i++) {
                    dmaRxdPayload(buffer, channel, 0);
                }
                return 0;
            case 4: // A message to the user, about the message.
                dmaRxdPayload(buffer, channel + 10, 0);
                break;
            case 5:
                setTimer(100);
                break;
            default:
                break;
        }
        doHtoLDMA(buffer, 0, offset, length);
        txPush(buffer, 0, channel, MODE == 2 ? length + 4 : length);
        return 0;
    }

    static int doRx(int length, int channel) {
        offsets[0] = MODE == 6 ? 40000 : getFreeBuffer();
        doLtoHDMA(RxBuf, 0, offsets[0], length);
        dmaRxd(offsets, channel, length);
        return offsets[0];
    }

    static int doRefill(int length, int channel, int offset) {
        return ++refilled;
    }

    static int doTimer() {
        txPush(buffer, 0, 1, 3);
        return ++timed;
    }
}
