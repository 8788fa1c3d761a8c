/** Base64 digits of an int's bytes, computed without a table of characters. */
class Base64 {
    static int run(int value, int bytes) {
        int hash = 0;
        for (int i = 0; i < bytes; i += 3) {
            int group = 0;
            for (int j = 0; j < 3; j++) {
                group = group << 8 | (i + j < bytes ? value >>> 8 * (i + j & 3) & 0xff : 0);
            }
            for (int j = 3; j >= 0; j--) {
                hash = hash * 67 + (i + 3 - j > bytes ? '=' : digit(group >> 6 * j & 63));
            }
        }
        return hash;
    }

    static byte digit(int six) {
        if (six < 26) return (byte) ('A' + six);
        if (six < 52) return (byte) ('a' + six - 26);
        if (six < 62) return (byte) ('0' + six - 52);
        return six == 62 ? (byte) '+' : (byte) '/';
    }
}
