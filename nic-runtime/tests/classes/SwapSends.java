import static unet.Nic.*;

/** An applet whose initializers pop a buffer, set a timer and then send, which only initializers before the run may. */
public class SwapSends {
    static byte[] RxBuf;
    static int buffer;

    static {
        buffer = getFreeBuffer();
        setTimer(5);
        trace(4, buffer);
    }

    SwapSends() {
        txPush(new byte[1], 0, 7, 1);
    }

    static int doTx(int length, int channel, int offset) {
        return 4;
    }

    static int doRx(int length, int channel) {
        return 4;
    }

    static int doTimer() {
        return 4;
    }
}
