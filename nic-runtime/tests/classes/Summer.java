import static unet.Nic.*;

/** Sums bytes of packets in loops that a NIC bounds. The tests compare the stated with the observed worst case. */
public class Summer {
    static byte[] RxBuf;
    static final byte[] OUT = newAlignedArray(64);
    static int sum;

    /** Executes most for the longest message. */
    static int doTx(int length, int channel, int offset) {
        int pieces = 0;
        for (int at = 0; at < length; at += 64) {
            int share = length - at;
            if (share > 64) {
                share = 64;
            }
            doHtoLDMA(OUT, 0, offset + at, share);
            txPush(OUT, 0, channel, share);
            pieces++;
        }
        return pieces;
    }

    /** Executes most for the longest packet. */
    static int doRx(int length, int channel) {
        for (int i = 0; i < length; i++) {
            sum += RxBuf[i];
        }
        return sum;
    }

    /** Executes just as much for every buffer. */
    static int doRefill(int length, int channel, int offset) {
        for (int i = 0; i < getFreeBufferLength(); i += 1024) {
            sum++;
        }
        for (int i = 0; i < RxBuf.length; i += 1024) {
            sum++;
        }
        return sum;
    }

    static int doTimer() {
        return count(4) + count(7);
    }

    private static int count(int n) {
        int counted = 0;
        for (int i = 0; i < n; i++) {
            counted++;
        }
        return counted;
    }
}
