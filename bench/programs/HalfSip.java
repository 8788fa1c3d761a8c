/** HalfSipHash-2-4 of a flow's key: 32-bit additions, rotations and exclusive ors. */
class HalfSip {
    static int[] key;
    static int[] message;

    static int init(int a, int b) {
        key = new int[2];
        key[0] = 0x03020100;
        key[1] = 0x07060504;
        message = new int[16];
        for (int i = 0; i < 16; i++) {
            message[i] = i * 0x01010101;
        }
        return 0;
    }

    static int run(int a, int b) {
        message[0] = a;
        int v0 = key[0];
        int v1 = key[1];
        int v2 = 0x6c796765 ^ v0;
        int v3 = 0x74656462 ^ v1;
        for (int i = 0; i <= b; i++) {
            int word = i < b ? message[i] : b << 26;
            v3 ^= word;
            int rounds = i < b ? 2 : 6;
            for (int r = 0; r < rounds; r++) {
                if (r == 2) {
                    v0 ^= word;
                    v2 ^= 0xff;
                }
                v0 += v1;
                v1 = v1 << 5 | v1 >>> 27;
                v1 ^= v0;
                v0 = v0 << 16 | v0 >>> 16;
                v2 += v3;
                v3 = v3 << 8 | v3 >>> 24;
                v3 ^= v2;
                v0 += v3;
                v3 = v3 << 7 | v3 >>> 25;
                v3 ^= v0;
                v2 += v1;
                v1 = v1 << 13 | v1 >>> 19;
                v1 ^= v2;
                v2 = v2 << 16 | v2 >>> 16;
            }
            v0 ^= i < b ? word : 0;
        }
        return v1 ^ v3;
    }
}
