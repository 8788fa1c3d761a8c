/** Insertion sort over a {@code short[]}. */
class InsertionSort {
    static int run(int seed, int count) {
        short[] values = new short[count];
        for (int i = 0; i < count; i++) {
            seed = seed * 69069 + 1;
            values[i] = (short) (seed >>> 16);
        }
        for (int i = 1; i < count; i++) {
            short value = values[i];
            int j = i - 1;
            while (j >= 0 && values[j] > value) {
                values[j + 1] = values[j--];
            }
            values[j + 1] = value;
        }
        int hash = 17;
        for (int i = 0; i < values.length; i++) {
            hash = hash * 31 ^ values[i];
        }
        return hash;
    }
}
