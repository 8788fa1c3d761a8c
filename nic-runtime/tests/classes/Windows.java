import static unet.Nic.*;

/** Writes each message of its user to a window of a peer, and traces the writes of peers to its own windows. */
public class Windows {
    /** Watched ranges, three numbers each: window, offset and length. A class that is loaded sets them. */
    static int[] WATCHES = new int[0];

    /** Offset of window 0 in the buffer area. */
    static int BASE = 0;

    /** Where the messages of the user go. The number of the window is the channel of the message. */
    static int OFFSET = 0;

    /** How often each message is written. */
    static int TIMES = 1;

    static byte[] RxBuf;
    static final byte[] BUFFER = new byte[4096];

    static {
        for (int i = 0; i + 2 < WATCHES.length; i += 3) {
            watch(WATCHES[i], WATCHES[i + 1], WATCHES[i + 2]);
        }
    }

    static int doTx(int length, int channel, int offset) {
        doHtoLDMA(BUFFER, 0, offset, length);
        for (int i = 0; i < TIMES; i++) {
            windowWrite(BUFFER, 0, channel, OFFSET, length);
        }
        return 0;
    }

    /** A packet of three bytes sets a watch. */
    static int doRx(int length, int channel) {
        watch(RxBuf[0], RxBuf[1], RxBuf[2]);
        return 0;
    }

    static int doWatch(int window, int offset, int length) {
        doHtoLDMA(BUFFER, 0, BASE + offset, length);
        trace(1000 * window + offset, BUFFER[0]);
        return length;
    }
}
