/** Static fields without initial values, of types outside of the subset: no instruction leads to their lines. */
class StaticFields {
    static char c; // mistake
    static int[][] table; // mistake
    static float rate; // mistake
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        return length;
    }
}
