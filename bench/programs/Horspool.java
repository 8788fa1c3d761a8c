/** Counts where a pattern occurs in a payload, by Horspool's skips. */
class Horspool {
    static byte[] text;
    static byte[] pattern;
    static byte[] skip;

    static int init(int a, int b) {
        text = new byte[1024];
        pattern = new byte[5];
        skip = new byte[16];
        int random = 4242;
        for (int i = 0; i < text.length; i++) {
            random = random * 1103515245 + 12345;
            text[i] = (byte) (random >>> 16 & 15);
        }
        return 0;
    }

    static int run(int a, int b) {
        int last = pattern.length - 1;
        for (int i = 0; i < skip.length; i++) {
            skip[i] = (byte) pattern.length;
        }
        for (int i = 0; i <= last; i++) {
            pattern[i] = text[(a * 37 & 511) + i];
            if (i < last) {
                skip[pattern[i]] = (byte) (last - i);
            }
        }
        int hits = 0;
        int places = 0;
        int at = 0;
        while (at + last < b) {
            int i = last;
            while (i >= 0 && text[at + i] == pattern[i]) {
                i--;
            }
            if (i < 0) {
                hits++;
                places ^= at;
            }
            at += skip[text[at + last]];
        }
        return hits << 16 | places;
    }
}
