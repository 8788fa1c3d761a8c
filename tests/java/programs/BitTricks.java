/** Population count, reversal, leading zeros, rotation, next power of two. */
class BitTricks {
    static int population(int x) {
        x -= x >>> 1 & 0x55555555;
        x = (x & 0x33333333) + (x >>> 2 & 0x33333333);
        x = x + (x >>> 4) & 0x0f0f0f0f;
        return x * 0x01010101 >>> 24;
    }

    static int reverse(int x) {
        x = (x & 0x55555555) << 1 | x >>> 1 & 0x55555555;
        x = (x & 0x33333333) << 2 | x >>> 2 & 0x33333333;
        x = (x & 0x0f0f0f0f) << 4 | x >>> 4 & 0x0f0f0f0f;
        return x << 24 | (x & 0xff00) << 8 | x >>> 8 & 0xff00 | x >>> 24;
    }

    static int leadingZeros(int x) {
        if (x == 0) return 32;
        int zeros = 0;
        while (x > 0) {
            x <<= 1;
            zeros++;
        }
        return zeros;
    }

    static int rotate(int x, int by) {
        return x << by | x >>> -by;
    }

    static int nextPowerOfTwo(int x) {
        x--;
        x |= x >> 1;
        x |= x >> 2;
        x |= x >> 4;
        x |= x >> 8;
        x |= x >> 16;
        return x + 1;
    }

    static boolean powerOfTwo(int x) {
        return x != 0 & (x & x - 1) == 0;
    }
}
