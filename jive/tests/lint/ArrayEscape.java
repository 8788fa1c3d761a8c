/** Keeps arrays of the call: in a static field, on two paths, and in a field of the instance. */
class ArrayEscape {
    static byte[] RxBuf;
    static int[] seen;
    byte[] copy;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        int[] fresh = new int[4];
        if (length > 4) {
            fresh = new int[length];
        }
        seen = fresh; // warned
        copy = new byte[8]; // warned
        return refill(channel);
    }

    static int refill(int channel) {
        seen = new int[2]; // warned
        return 0;
    }
}
