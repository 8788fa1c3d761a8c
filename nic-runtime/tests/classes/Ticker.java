import static unet.Nic.*;

/**
 * Counts ticks of a timer that the static initializer sets. Each tick traces its number and the time; the third
 * traps after it has set the next.
 *
 * <p>A message is a command: its first byte says how many times ten microseconds the next tick is away; 0 sets none.
 */
public class Ticker {
    static byte[] RxBuf;
    static final byte[] TX_BUF = new byte[64];
    static int ticks;

    static {
        setTimer(10);
        setTimer(20);
    }

    static int doTimer() {
        ticks++;
        setTimer(20);
        trace(ticks, currentTime());
        return 1 / (ticks - 3);
    }

    static int doTx(int length, int channel, int offset) {
        doHtoLDMA(TX_BUF, 0, offset, length);
        setTimer(TX_BUF[0] * 10);
        return 0;
    }

    static int doRx(int length, int channel) {
        return 0;
    }
}
