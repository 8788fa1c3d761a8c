/** Six mistakes, each marked with a comment. */
class SixMistakes {
    static byte[] RxBuf;
    static long total; // mistake

    static int doTx(int length, int channel) { // mistake
        return 0;
    }

    static int doRx(int length, int channel) {
        total += length;
        double rate = length * 0.5; // mistake
        rate = rate + channel;
        System.out.println(length); // mistake
        return check(length);
    }

    private static int check(int length) {
        if (length == 0) {
            throw new IllegalStateException(); // mistake
        }
        return name(length);
    }

    private static int name(int length) {
        String name = "packet of " + length; // mistake
        return length;
    }
}
