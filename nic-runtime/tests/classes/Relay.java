import static unet.Nic.*;

/** Sends what arrives on the channel of the next number. */
public class Relay {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        txPush(RxBuf, 0, channel + 1, length);
        return 0;
    }
}
