/** Calls with many arguments of all kinds, nested in argument position. */
class ManyArguments {
    static int twelve(int a, byte b, short c, boolean d, int[] e, byte[] f, short[] g, boolean[] h, int i, int j, int k, int l) {
        return a + 2 * b + 3 * c + (d ? 5 : 7) + e[0] * 11 + f[1] * 13 + g[2] * 17 + (h[3] ? 19 : 23) + i * 29 + j * 31 + k * 37 + l * 41;
    }

    static int run(int value) {
        int[] ints = {value};
        byte[] bytes = {1, (byte) value};
        short[] shorts = {1, 2, (short) value};
        boolean[] booleans = {false, false, false, value > 0};
        return twelve(value, (byte) 2, (short) 3, true, ints, bytes, shorts, booleans, last(1, last(2, 3)),
            last(last(4, 5), 6), twelve(1, (byte) 1, (short) 1, false, ints, bytes, shorts, booleans, 1, 2, 3, 4), 12);
    }

    static int last(int first, int second) {
        return second * 10 + first;
    }
}
