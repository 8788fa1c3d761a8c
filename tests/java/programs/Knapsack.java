/** The knapsack problem by dynamic programming. */
class Knapsack {
    static final byte[] WEIGHTS = {12, 7, 11, 8, 9, 6, 5, 14};
    static final short[] VALUES = {240, 130, 230, 160, 180, 120, 101, 281};

    static int run(int capacity) {
        int[] best = new int[capacity + 1];
        for (int item = 0; item < WEIGHTS.length; item++) {
            for (int room = capacity; room >= WEIGHTS[item]; room--) {
                int with = best[room - WEIGHTS[item]] + VALUES[item];
                if (with > best[room]) best[room] = with;
            }
        }
        return best[capacity];
    }
}
