/** Base64 of a packet, and back (RFC 4648 §4). */
class Base64 {
    static byte[] plain;
    static byte[] text;
    static byte[] back;
    static byte[] letters;
    static byte[] values;

    static int init(int a, int b) {
        plain = new byte[192];
        text = new byte[256];
        back = new byte[192];
        letters = new byte[64];
        values = new byte[128];
        for (int i = 0; i < 64; i++) {
            int letter = i < 26 ? 'A' + i : i < 52 ? 'a' + i - 26 : i < 62 ? '0' + i - 52 : i == 62 ? '+' : '/';
            letters[i] = (byte) letter;
            values[letter] = (byte) i;
        }
        for (int i = 0; i < 192; i++) {
            plain[i] = (byte) (i * 167 + 13);
        }
        return 0;
    }

    static int run(int a, int b) {
        plain[a & 127] = (byte) a;
        int length = encode(b);
        int decoded = decode(length);
        int hash = length;
        for (int i = 0; i < decoded; i++) {
            if (back[i] != plain[i]) {
                return -1;
            }
            hash = hash * 31 + text[i];
        }
        return hash;
    }

    private static int encode(int length) {
        int out = 0;
        for (int i = 0; i + 2 < length; i += 3) {
            int group = (plain[i] & 0xff) << 16 | (plain[i + 1] & 0xff) << 8 | plain[i + 2] & 0xff;
            text[out++] = letters[group >>> 18];
            text[out++] = letters[group >>> 12 & 63];
            text[out++] = letters[group >>> 6 & 63];
            text[out++] = letters[group & 63];
        }
        return out;
    }

    private static int decode(int length) {
        int out = 0;
        for (int i = 0; i + 3 < length; i += 4) {
            int group = 0;
            for (int k = 0; k < 4; k++) {
                group = group << 6 | values[text[i + k]];
            }
            back[out++] = (byte) (group >> 16);
            back[out++] = (byte) (group >> 8);
            back[out++] = (byte) group;
        }
        return out;
    }
}
