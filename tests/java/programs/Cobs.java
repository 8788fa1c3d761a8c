/** Bytes without zeros: consistent overhead byte stuffing, there and back. */
class Cobs {
    static final byte[] plain = new byte[600];
    static final byte[] coded = new byte[610];
    static final byte[] back = new byte[600];

    static int run(int seed, int length) {
        for (int i = 0; i < length; i++) {
            int noise = seed * (i + 7) >>> 11;
            plain[i] = (byte) ((noise & 15) == 0 ? 0 : noise | 1);
        }
        int size = encode(length);
        int hash = size;
        for (int i = 0; i < size; i++) {
            if (coded[i] == 0) return -1;
            hash = hash * 31 + coded[i];
        }
        if (decode(size) != length) return -2;
        for (int i = 0; i < length; i++) {
            if (back[i] != plain[i]) return -3;
        }
        return hash;
    }

    static int encode(int length) {
        int mark = 0;
        int out = 1;
        int code = 1;
        for (int i = 0; i < length; i++) {
            if (plain[i] != 0) {
                coded[out++] = plain[i];
                code++;
            }
            if (plain[i] == 0 || code == 0xff) {
                coded[mark] = (byte) code;
                code = 1;
                mark = out++;
            }
        }
        coded[mark] = (byte) code;
        return out;
    }

    static int decode(int size) {
        int in = 0;
        int out = 0;
        while (in < size) {
            int code = coded[in++] & 0xff;
            for (int i = 1; i < code && in < size; i++) back[out++] = coded[in++];
            if (code < 0xff && in < size) back[out++] = 0;
        }
        return out;
    }
}
