/** Validates UTF-8 given as up to four bytes packed in an int, first byte highest. */
class Utf8Validator {
    static int run(int packed, int length) {
        int points = 0;
        int at = 0;
        while (at < length) {
            int first = unit(packed, at++);
            int more;
            int least;
            if (first < 0x80) {
                more = 0;
                least = 0;
            } else if (first >> 5 == 6) {
                more = 1;
                least = 0x80;
            } else if (first >> 4 == 14) {
                more = 2;
                least = 0x800;
            } else if (first >> 3 == 30) {
                more = 3;
                least = 0x10000;
            } else {
                return -at;
            }
            int point = more == 0 ? first : first & 0x3f >> more;
            for (; more > 0; more--) {
                if (at == length) return -100 - at;
                int next = unit(packed, at++);
                if ((next & 0xc0) != 0x80) return -200 - at;
                point = point << 6 | next & 0x3f;
            }
            if (point < least || point > 0x10ffff || point >= 0xd800 && point < 0xe000) return -300 - at;
            points = points * 7 + point;
        }
        return points;
    }

    private static int unit(int packed, int at) {
        return packed >>> 24 - 8 * at & 0xff;
    }
}
