/** Loops that count to elements of arrays, for `jive bound`. */
public class Elements {
    static byte[] RxBuf;
    static final int[] LENGTHS = new int[8], LIMITS = limits(), ANY = new int[8], SAME = ANY;

    /** Another name of the array stores any value. */
    static int doTx(int length, int channel, int offset) {
        SAME[0] = channel;
        int end = ANY[1], rounds = 0;
        for (int i = 0; i < end; i++) {
            rounds++;
        }
        return rounds;
    }

    /** The elements are 0 to 20, and copies of each other. */
    static int doRx(int length, int channel) {
        if (length <= 20) {
            LENGTHS[length & 7] = length;
        }
        LENGTHS[0] = LENGTHS[1];
        int end = LENGTHS[channel & 7], rounds = 0;
        for (int i = 0; i < end; i++) {
            rounds++;
        }
        return rounds;
    }

    static int doTimer() {
        return count(LIMITS);
    }

    /** The array is a parameter; a method has made it, with elements of -1 and 5. */
    static int count(int[] limits) {
        int end = limits[2], rounds = 0;
        for (int i = 0; i < end; i++) {
            rounds++;
        }
        return rounds;
    }

    static int[] limits() {
        int[] made = new int[4];
        for (int i = 0; i < 4; i++) {
            made[i] = -1;
        }
        made[0] = 5;
        return made;
    }
}
