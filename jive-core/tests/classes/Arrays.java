/** Arrays of every kind at their bounds. */
class Arrays {
    static int length(int n) { return new int[n].length; }
    static byte[] none;

    static int byteAt(int n, int i) { byte[] a = new byte[n]; a[i] = -7; return a[i]; }
    static int booleanAt(int n, int i) { boolean[] a = new boolean[n]; a[i] = true; return a[i] ? 1 : 0; }
    static int shortAt(int n, int i) { short[] a = new short[n]; a[i] = -7; return a[i]; }
    static int intAt(int n, int i) { int[] a = new int[n]; a[i] = -7; return a[i]; }
    static int loadAt(int n, int i) { short[] a = new short[n]; return a[i]; }
    static int nullLength() { return none.length; }
    static int nullLoad(int i) { return none[i]; }
    static void nullStore(int i) { none[i] = 1; }

    /** Writes to two arrays of each kind side by side, so that one that spills is seen. */
    static int neighbours() {
        byte[] a = new byte[3]; byte[] b = new byte[3];
        short[] c = new short[3]; short[] d = new short[3];
        int[] e = new int[3]; int[] f = new int[3];
        for (int i = 0; i < 3; i++) { a[i] = 1; c[i] = 1; e[i] = 1; }
        int sum = 0;
        for (int i = 0; i < 3; i++) sum += b[i] + d[i] + f[i] + 10 * (a[i] + c[i] + e[i]);
        return sum;
    }

    /** Adds up what a new array holds, then fills it. */
    static int dirty(int n) {
        byte[] a = new byte[n];
        int sum = 0;
        for (int i = 0; i < n; i++) { sum += a[i]; a[i] = -1; }
        return sum;
    }

    /** Makes arrays for ever. */
    static void exhaust(int n) { while (true) { int[] a = new int[n]; } }
}
