/** Boolean arrays: stores of computed truth, logical operators, counts. */
class BooleanArrays {
    static boolean[] flags = new boolean[32];

    static int run(int bits) {
        for (int i = 0; i < flags.length; i++) flags[i] = (bits >>> i & 1) != 0;
        boolean parity = false;
        int runs = 0;
        for (int i = 0; i < flags.length; i++) {
            parity ^= flags[i];
            if (i > 0 && flags[i] != flags[i - 1]) runs++;
        }
        flags[0] &= flags[31];
        flags[1] |= parity;
        flags[2] = !flags[2];
        int packed = 0;
        for (int i = 31; i >= 0; i--) packed = packed << 1 | (flags[i] ? 1 : 0);
        return packed * 64 + runs + (parity ? 32 : 0);
    }
}
