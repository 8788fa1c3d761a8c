/** Marsaglia's xorshift with four words of state in static fields. */
class Xorshift {
    static int x = 123456789, y = 362436069, z = 521288629, w = 88675123;

    static int run(int count) {
        for (; count > 0; count--) {
            int t = x ^ x << 11;
            x = y;
            y = z;
            z = w;
            w = w ^ w >>> 19 ^ t ^ t >>> 8;
        }
        return w;
    }
}
