/** Bubble sort with early exit over an {@code int[]}, and a hash of the result. */
class BubbleSort {
    static int run(int seed, int count) {
        int[] values = new int[count];
        int state = seed;
        for (int i = 0; i < count; i++) {
            state = state * 1103515245 + 12345;
            values[i] = state >> 8;
        }
        boolean swapped = true;
        for (int end = count - 1; swapped && end > 0; end--) {
            swapped = false;
            for (int i = 0; i < end; i++) {
                if (values[i] > values[i + 1]) {
                    int held = values[i];
                    values[i] = values[i + 1];
                    values[i + 1] = held;
                    swapped = true;
                }
            }
        }
        int hash = 0;
        for (int i = 0; i < count; i++) {
            hash = hash * 31 + values[i];
        }
        return hash;
    }
}
