import static unet.Nic.*;

/**
 * Copies 4,096 bytes to the host for each message. A message whose first byte is not 0 has it copy eight times as much
 * by its timer too, again and again.
 */
public class Copier {
    static byte[] RxBuf;
    static final byte[] BLOCK = new byte[4096];

    static int doTx(int length, int channel, int offset) {
        doHtoLDMA(BLOCK, 0, offset, 1);
        if (BLOCK[0] != 0) {
            setTimer(1);
        }
        doLtoHDMA(BLOCK, 0, 0, BLOCK.length);
        return 0;
    }

    static int doTimer() {
        setTimer(1);
        for (int i = 0; i < 8; i++) {
            doLtoHDMA(BLOCK, 0, 0, BLOCK.length);
        }
        return 0;
    }

    static int doRx(int length, int channel) {
        return 0;
    }
}
