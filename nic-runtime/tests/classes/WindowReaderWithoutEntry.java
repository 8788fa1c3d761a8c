import static unet.Nic.*;

/**
 * Reads windows of a peer, and has no entry that would tell of the ends. A message of its user has five bytes: window, offset and length of a
 * read, where its bytes go, and what the applet does besides.
 */
public class WindowReaderWithoutEntry {
    static byte[] RxBuf;
    static final byte[] COMMAND = new byte[5];
    static final byte[] INTO = new byte[48];

    static int doTx(int length, int channel, int offset) {
        doHtoLDMA(COMMAND, 0, offset, 5);
        switch (COMMAND[4]) {
            case 1: // reads into an array that is freed at the end of this call
                windowRead(new byte[48], COMMAND[3], COMMAND[0], COMMAND[1], COMMAND[2]);
                return 0;
            case 2: // begins as many reads as may be, and one more
                for (int i = 0; i < 65; i++) {
                    windowRead(INTO, COMMAND[3], COMMAND[0], COMMAND[1], COMMAND[2]);
                }
                return 0;
            default:
                windowRead(INTO, COMMAND[3], COMMAND[0], COMMAND[1], COMMAND[2]);
                return INTO[COMMAND[3]];
        }
    }

    static int doRx(int length, int channel) {
        return 0;
    }

}
