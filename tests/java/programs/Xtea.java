/** XTEA: 32 rounds there and back over a block of two words. */
class Xtea {
    static final int DELTA = 0x9e3779b9;
    static int left;
    static int right;

    static int run(int a, int b) {
        int[] key = {0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f};
        left = a;
        right = b;
        encipher(key);
        int result = left * 31 + right;
        decipher(key);
        return left == a && right == b ? result : 0;
    }

    static void encipher(int[] key) {
        int sum = 0;
        for (int round = 0; round < 32; round++) {
            left += (right << 4 ^ right >>> 5) + right ^ sum + key[sum & 3];
            sum += DELTA;
            right += (left << 4 ^ left >>> 5) + left ^ sum + key[sum >>> 11 & 3];
        }
    }

    static void decipher(int[] key) {
        int sum = DELTA * 32;
        for (int round = 0; round < 32; round++) {
            right -= (left << 4 ^ left >>> 5) + left ^ sum + key[sum >>> 11 & 3];
            sum -= DELTA;
            left -= (right << 4 ^ right >>> 5) + right ^ sum + key[sum & 3];
        }
    }
}
