/** Keeps arrays that are made while the class is loaded, also by a method, and otherwise only arrays that may be kept. */
class ArrayEscapeInitial {
    static byte[] RxBuf;
    static int[] seen;
    static int[] spare = new int[4];
    byte[] copy = new byte[8];

    static {
        refill();
    }

    static void refill() {
        seen = new int[2];
    }

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        int[] next = length > 4 ? spare : null;
        int[] fresh = new int[4];
        seen = length > 8 ? fresh : next;
        spare = seen;
        return copy.length;
    }
}
