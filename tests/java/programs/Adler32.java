/** Adler-32, whose two sums need remainders. */
class Adler32 {
    static int run(int seed, int length) {
        int a = 1;
        int b = 0;
        for (int i = 0; i < length; i++) {
            seed = seed * 5 + i;
            a = (a + (seed & 0xff)) % 65521;
            b = (b + a) % 65521;
        }
        return b << 16 | a;
    }
}
