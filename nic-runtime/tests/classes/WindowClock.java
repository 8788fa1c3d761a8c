import static unet.Nic.*;

/**
 * The applet {@code Clock} with watches of windows, for NICs that have windows.
 *
 * <p>Byte 0 is a command and byte 1 a delay, in calls of {@code currentTime} before the command. The other bytes are a
 * number, the most significant byte first.
 */
public class WindowClock {
    static byte[] RxBuf;
    static final byte[] TX_BUF = new byte[64];

    static int doTx(int length, int channel, int offset) {
        doHtoLDMA(TX_BUF, 0, offset, length);
        return obey(TX_BUF, channel, length);
    }

    static int doRx(int length, int channel) {
        return obey(RxBuf, channel, length);
    }

    private static int obey(byte[] command, int channel, int length) {
        for (int i = 0; i < command[1]; i++) {
            currentTime();
        }
        int number = 0;
        for (int i = 2; i < 6; i++) {
            number = number << 8 | command[i] & 255;
        }
        switch (command[0]) {
            case 0:
                setTimer(number);
                return 0;
            case 1: // sets the timer, and traps
                setTimer(number);
                return 1 / (number - number);
            case 2: // watches bytes of window 0, or nothing more of it
                watch(0, 0, number);
                return 0;
            case 3: // passes the message to the user
                dmaRxdPayload(command, channel, length);
                return 0;
            default:
                return 0;
        }
    }

    static int doTimer() {
        trace(1, currentTime());
        return 0;
    }

    static int doRefill(int length, int channel, int offset) {
        trace(2, offset);
        return 0;
    }

    static int doWatch(int window, int offset, int length) {
        trace(3, length);
        return 0;
    }
}
