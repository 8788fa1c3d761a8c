import static unet.Nic.*;

/** Traps in one way for each length of a packet, in a method below `doRx`. */
public class Oops {
    static byte[] RxBuf;
    static int[] table = new int[16];
    static int[] none;
    static byte[] kept;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        return below(length);
    }

    static int below(int length) {
        switch (length) {
            case 1:
                return table[length + 15];
            case 2:
                return none[0];
            case 3:
                return 7 / (length - 3);
            case 4:
                kept = new byte[length];
                return 0;
            case 5:
                txPush(RxBuf, 9000, 1, 300);
                return 0;
            case 6:
                return deep(length);
            default:
                return 0;
        }
    }

    static int deep(int depth) {
        return deep(depth + 1) + 1;
    }

    static int divide(int a, int b) {
        return a / b;
    }
}
