/** Edit distance of two texts, by two rows of the table. */
class Distance {
    static byte[] one;
    static byte[] other;
    static short[] above;
    static short[] row;

    static int init(int a, int b) {
        one = new byte[32];
        other = new byte[32];
        above = new short[33];
        row = new short[33];
        int random = 17;
        for (int i = 0; i < 32; i++) {
            random = random * 214013 + 2531011;
            one[i] = (byte) ('a' + (random >>> 29));
            other[i] = (byte) ('a' + (random >>> 26 & 7));
        }
        return 0;
    }

    static int run(int a, int b) {
        one[a & 31] = (byte) ('a' + (a & 7));
        for (int j = 0; j <= b; j++) {
            above[j] = (short) j;
        }
        for (int i = 1; i <= b; i++) {
            row[0] = (short) i;
            for (int j = 1; j <= b; j++) {
                int best = above[j - 1];
                if (one[i - 1] != other[j - 1]) {
                    best = least(best, least(above[j], row[j - 1])) + 1;
                }
                row[j] = (short) best;
            }
            short[] swapped = above;
            above = row;
            row = swapped;
        }
        return above[b];
    }

    private static int least(int a, int b) {
        return a < b ? a : b;
    }
}
