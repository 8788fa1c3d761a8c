import static unet.Nic.*;

/** Sends eight packets for each message, on the channel behind the one that the message names. */
public class Sidestep {
    static byte[] RxBuf;
    static final byte[] OUT = new byte[1000];

    static int doTx(int length, int channel, int offset) {
        for (int i = 0; i < 8; i++) {
            txPush(OUT, 0, channel + 1, OUT.length);
        }
        return 0;
    }

    static int doRx(int length, int channel) {
        return 0;
    }
}
