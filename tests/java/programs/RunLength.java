/** Run-length coding there and back; negative counts mark literal runs. */
class RunLength {
    static byte[] plain = new byte[256];
    static byte[] coded = new byte[512];
    static byte[] back = new byte[256];

    static int run(int seed) {
        for (int i = 0; i < plain.length; i++) {
            if ((seed = seed * 1103515245 + 12345) < 0) plain[i] = (byte) (seed >>> 28);
            else plain[i] = i == 0 ? 0 : plain[i - 1];
        }
        int length = encode();
        int restored = decode(length);
        for (int i = 0; i < plain.length; i++) {
            if (plain[i] != back[i]) return -i;
        }
        return length << 16 | restored;
    }

    private static int encode() {
        int out = 0;
        int in = 0;
        while (in < plain.length) {
            int count = 1;
            while (in + count < plain.length && count < 127 && plain[in + count] == plain[in]) count++;
            if (count > 1) {
                coded[out++] = (byte) count;
            } else {
                coded[out++] = -1;
            }
            coded[out++] = plain[in];
            in += count;
        }
        return out;
    }

    private static int decode(int length) {
        int out = 0;
        for (int in = 0; in < length; in += 2) {
            int count = coded[in] < 0 ? -coded[in] : coded[in];
            for (; count > 0; --count) back[out++] = coded[in + 1];
        }
        return out;
    }
}
