/** SHA-256; word(0, 3, w) is word w of the digest of "abc" (FIPS 180-4's example). */
class Sha256 {
    static int[] constants = new int[64];
    static int[] initial = new int[8];

    // The constants are fractional bits of roots of primes; here they are found by integer search.
    static {
        int found = 0;
        for (int n = 2; found < 64; n++) {
            boolean prime = true;
            for (int d = 2; d * d <= n; d++) if (n % d == 0) prime = false;
            if (!prime) continue;
            if (found < 8) initial[found] = fraction(n, 2);
            constants[found++] = fraction(n, 3);
        }
    }

    /** The first 32 fractional bits of the root of {@code n}, by comparing big products. */
    static int fraction(int n, int degree) {
        int whole = 1;
        while (power(whole + 1, degree) <= n) whole++;
        // x has 5 integer bits and 32 fractional bits, in three limbs of 16 bits.
        int high = whole;
        int middle = 0;
        int low = 0;
        for (int bit = 31; bit >= 0; bit--) {
            int tryMiddle = bit >= 16 ? middle | 1 << bit - 16 : middle;
            int tryLow = bit < 16 ? low | 1 << bit : low;
            if (atMost(high, tryMiddle, tryLow, n, degree)) {
                middle = tryMiddle;
                low = tryLow;
            }
        }
        return middle << 16 | low;
    }

    static int power(int base, int degree) {
        return degree == 2 ? base * base : base * base * base;
    }

    /** Whether the number of three limbs, to the power, is at most {@code n}. */
    static boolean atMost(int high, int middle, int low, int n, int degree) {
        int[] x = {low, middle, high};
        int[] product = {low, middle, high, 0, 0, 0, 0, 0, 0};
        for (int times = 1; times < degree; times++) {
            int[] next = new int[9];
            for (int i = 0; i < 3; i++) {
                int carry = 0;
                for (int j = 0; i + j < 9; j++) {
                    int sum = next[i + j] + carry;
                    int part = x[i] * product[j];
                    int total = (part & 0xffff) + (sum & 0xffff);
                    carry = (part >>> 16) + (sum >>> 16) + (total >>> 16);
                    next[i + j] = total & 0xffff;
                }
            }
            product = next;
        }
        // The fraction takes two limbs a factor; what lies above is the whole part.
        int top = 2 * degree;
        int whole = product[top] | product[top + 1] << 16;
        return whole < n;
    }

    static int word(int seed, int length, int word) {
        byte[] block = new byte[64];
        for (int i = 0; i < length; i++) block[i] = (byte) (seed == 0 ? 'a' + i : seed * (i + 1));
        block[length] = (byte) 0x80;
        block[62] = (byte) (length * 8 >>> 8);
        block[63] = (byte) (length * 8);
        int[] state = new int[8];
        for (int i = 0; i < 8; i++) state[i] = initial[i];
        compress(block, state);
        return state[word];
    }

    static void compress(byte[] block, int[] state) {
        int[] w = new int[64];
        for (int i = 0; i < 16; i++) {
            w[i] = block[4 * i] << 24 | (block[4 * i + 1] & 0xff) << 16
                | (block[4 * i + 2] & 0xff) << 8 | block[4 * i + 3] & 0xff;
        }
        for (int i = 16; i < 64; i++) {
            int s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >>> 3;
            int s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >>> 10;
            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        int a = state[0], b = state[1], c = state[2], d = state[3];
        int e = state[4], f = state[5], g = state[6], h = state[7];
        for (int i = 0; i < 64; i++) {
            int s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
            int choice = e & f ^ ~e & g;
            int first = h + s1 + choice + constants[i] + w[i];
            int s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
            int majority = a & b ^ a & c ^ b & c;
            int second = s0 + majority;
            h = g;
            g = f;
            f = e;
            e = d + first;
            d = c;
            c = b;
            b = a;
            a = first + second;
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
        state[4] += e;
        state[5] += f;
        state[6] += g;
        state[7] += h;
    }

    static int rotate(int x, int by) {
        return x >>> by | x << 32 - by;
    }
}
