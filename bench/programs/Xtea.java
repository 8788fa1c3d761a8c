/** XTEA: encryption of blocks of two ints, chained. */
class Xtea {
    static final int DELTA = 0x9e3779b9;
    static int[] key;
    static int[] data;

    static int init(int a, int b) {
        key = new int[4];
        data = new int[32];
        for (int i = 0; i < 4; i++) {
            key[i] = 0x01234567 * (i + 1);
        }
        for (int i = 0; i < 32; i++) {
            data[i] = i * 0x10001;
        }
        return 0;
    }

    static int run(int a, int b) {
        int left = a;
        int right = ~a;
        for (int i = 0; i + 1 < b; i += 2) {
            left ^= data[i];
            right ^= data[i + 1];
            int sum = 0;
            for (int round = 0; round < 32; round++) {
                left += (right << 4 ^ right >>> 5) + right ^ sum + key[sum & 3];
                sum += DELTA;
                right += (left << 4 ^ left >>> 5) + left ^ sum + key[sum >>> 11 & 3];
            }
            data[i] = left;
            data[i + 1] = right;
        }
        return left ^ right;
    }
}
