import static unet.Nic.*;

/** Fields that a scenario may set before the static initializer runs, stored to in every way. */
public class Stateful {
    static byte[] RxBuf;
    static final int CONSTANT = 3;

    static int window = 4;
    /** As long as another field says. */
    static byte[] ring = new byte[window];
    static int[] keys = {7, 8, 9};
    static final short[] LIMITS = {100, 200};
    static boolean[] flags;
    static boolean isOn = true;
    static byte small = 5;

    /** Has a value that no compiler puts in the code. */
    static final int SIZE;
    static int twice = 1;
    static int looped;
    static int branched;
    static int sum;

    int ofObject;

    static {
        SIZE = keys.length;
        twice = twice + 10;
        for (int i = 0; i < 5; i++) {
            looped = looped + i;
        }
        if (window > 4) {
            branched = 1;
        } else {
            branched = 2;
        }
        small += 127;
        add();
    }

    /** Is not the initializer. */
    static void add() {
        sum = sum + SIZE;
    }

    static int doTx(int length, int channel, int offset) {
        return window = length;
    }

    static int doRx(int length, int channel) {
        add();
        return ring.length;
    }
}
