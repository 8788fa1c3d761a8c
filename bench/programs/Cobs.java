/** Consistent overhead byte stuffing of a packet, and back. */
class Cobs {
    static byte[] plain;
    static byte[] stuffed;
    static byte[] back;

    static int init(int a, int b) {
        plain = new byte[256];
        stuffed = new byte[260];
        back = new byte[256];
        int random = 99;
        for (int i = 0; i < 256; i++) {
            random = random * 1664525 + 1013904223;
            plain[i] = (byte) ((random >>> 28) < 3 ? 0 : random >>> 20);
        }
        return 0;
    }

    static int run(int a, int b) {
        plain[a & 63] = (byte) a;
        int length = encode(b);
        int decoded = decode(length);
        int hash = length;
        for (int i = 0; i < decoded; i++) {
            if (back[i] != plain[i]) {
                return -1;
            }
            hash = hash * 33 ^ stuffed[i];
        }
        return hash;
    }

    private static int encode(int length) {
        int code = 1;
        int codeAt = 0;
        int out = 1;
        for (int i = 0; i < length; i++) {
            byte value = plain[i];
            if (value != 0) {
                stuffed[out++] = value;
                code++;
            }
            if (value == 0 || code == 255) {
                stuffed[codeAt] = (byte) code;
                codeAt = out++;
                code = 1;
            }
        }
        stuffed[codeAt] = (byte) code;
        return out;
    }

    private static int decode(int length) {
        int in = 0;
        int out = 0;
        while (in < length) {
            int code = stuffed[in++] & 0xff;
            for (int i = 1; i < code; i++) {
                back[out++] = stuffed[in++];
            }
            if (code < 255 && in < length) {
                back[out++] = 0;
            }
        }
        return out;
    }
}
