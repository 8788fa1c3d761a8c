/** The longest Collatz path below a limit. */
class Collatz {
    static int run(int limit) {
        int best = 0;
        int bestStart = 0;
        for (int start = 1; start < limit; start++) {
            int length = 0;
            for (int n = start; n != 1; length++) n = (n & 1) == 0 ? n / 2 : 3 * n + 1;
            if (length > best) {
                best = length;
                bestStart = start;
            }
        }
        return best << 16 | bestStart;
    }
}
