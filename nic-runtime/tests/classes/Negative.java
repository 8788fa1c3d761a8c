import static unet.Nic.*;

/** Sets its timer to a time before now when it is sent a message. */
public class Negative {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        setTimer(-1);
        return 0;
    }

    static int doRx(int length, int channel) {
        return 0;
    }
}
