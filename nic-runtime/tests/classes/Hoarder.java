import static unet.Nic.*;

/** Takes a free buffer for each packet and keeps it. */
public class Hoarder {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        return getFreeBuffer();
    }
}
