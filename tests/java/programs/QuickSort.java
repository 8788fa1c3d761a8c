/** Quicksort by recursion, over a static array. */
class QuickSort {
    static int[] values;

    static int run(int seed, int count) {
        values = new int[count];
        for (int i = 0; i < count; i++) {
            seed ^= seed << 13;
            seed ^= seed >>> 17;
            seed ^= seed << 5;
            values[i] = seed;
        }
        sort(0, count - 1);
        int inversions = 0;
        int hash = 0;
        for (int i = 1; i < count; i++) {
            if (values[i - 1] > values[i]) inversions++;
            hash = hash * 33 + values[i];
        }
        return inversions == 0 ? hash : -1;
    }

    private static void sort(int low, int high) {
        if (low >= high) return;
        int pivot = values[(low + high) >>> 1];
        int i = low;
        int j = high;
        do {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i <= j) {
                int held = values[i];
                values[i++] = values[j];
                values[j--] = held;
            }
        } while (i <= j);
        sort(low, j);
        sort(i, high);
    }
}
