/** Expands a packed block: literals, and copies of what was written before. */
class Unpack {
    static byte[] packed;
    static byte[] block;

    static int init(int a, int b) {
        packed = new byte[512];
        block = new byte[2048];
        int random = 7;
        int i = 0;
        while (i < 490) {
            random = random * 22695477 + 1;
            int pick = random >>> 16 & 0xff;
            if (i < 12 || pick < 120) {
                int literals = 1 + (pick & 7);
                packed[i++] = (byte) literals;
                for (int j = 0; j < literals; j++) {
                    packed[i++] = (byte) (random >>> (j & 15));
                }
            } else {
                packed[i++] = (byte) (0x80 | (pick & 15));
                packed[i++] = (byte) (1 + (random >>> 8 & 7));
            }
        }
        packed[i] = 0;
        return 0;
    }

    static int run(int a, int b) {
        packed[1] = (byte) a;
        int in = 0;
        int out = 0;
        int token = packed[in++];
        while (token != 0 && out < b) {
            if (token > 0) {
                while (token-- > 0) {
                    block[out++] = packed[in++];
                }
            } else {
                int count = (token & 0x7f) + 3;
                int from = out - packed[in++];
                for (int i = 0; i < count; i++) {
                    block[out + i] = block[from + i];
                }
                out += count;
            }
            token = packed[in++];
        }
        int sum = 0;
        for (int i = 0; i < out; i += 7) {
            sum += block[i];
        }
        return sum << 12 ^ out;
    }
}
