import static unet.Nic.*;

/** Breaks the rules of a NIC that receives directly, in the way that the scenario chooses. */
class DirectHostile {
    static int KIND = 0;

    static final byte[] BYTES = newAlignedArray(9216);
    static final int[] BUFFER = new int[1];
    static int held = -1;

    DirectHostile() {
    }

    static int doTx(int length, int channel, int offset) {
        if (KIND == 1) {
            return rxOffset();
        }
        if (KIND == 2) {
            peek(BYTES, 0, 0, 0);
        }
        doHtoLDMA(BYTES, 0, offset, length);
        txPush(BYTES, 0, channel, length);
        return 0;
    }

    static int doRx(int length, int channel) {
        BUFFER[0] = rxOffset();
        switch (KIND) {
            case 3:
                // One byte beyond what the NIC keeps.
                peek(BYTES, 0, 0, length < 128 ? length + 1 : 129);
                break;
            case 4:
                peek(BYTES, 0, -1, 1);
                break;
            case 5:
                // Keeps the processor long after the buffer is the user's.
                dmaRxd(BUFFER, channel, length);
                for (int i = 0; i < 60000; i++) {
                    held = i;
                }
                return held;
            case 6:
                dmaRxd(BUFFER, channel, length);
                return BUFFER[length];
            case 7:
                return BUFFER[length];
            case 8:
                dmaRxd(BUFFER, channel, length);
                dmaRxd(BUFFER, channel, length);
                break;
            case 9:
                // The header is still there when the buffer is the user's.
                dmaRxd(BUFFER, channel, length);
                peek(BYTES, 0, 0, 4);
                return BYTES[3] + rxOffset();
            case 10:
                // Names a buffer that an earlier packet was in.
                if (held >= 0) {
                    BUFFER[0] = held;
                    dmaRxd(BUFFER, channel, length);
                }
                held = rxOffset();
                break;
            case 11:
                // Traps long after the buffer is the user's.
                dmaRxd(BUFFER, channel, length);
                for (int i = 0; i < 20000; i++) {
                    held = i;
                }
                return BUFFER[length];
            case 12:
                // Some packets name a buffer in which another packet may lie.
                if (length == 100) {
                    BUFFER[0] = 2048;
                }
                for (int i = 0; i < 2000; i++) {
                    held = i;
                }
                dmaRxd(BUFFER, channel, length);
                break;
            default:
                break;
        }
        return 0;
    }
}
