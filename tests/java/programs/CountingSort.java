/** Counting sort of unsigned bytes. */
class CountingSort {
    static int run(int seed, int count) {
        byte[] values = new byte[count];
        int[] counts = new int[256];
        for (int i = 0; i < count; i++) {
            seed = seed * 134775813 + 1;
            values[i] = (byte) (seed >>> 20);
            counts[values[i] & 0xff]++;
        }
        int at = 0;
        for (int value = 0; value < 256; value++) {
            while (counts[value]-- > 0) values[at++] = (byte) value;
        }
        int hash = at;
        for (int i = 0; i < count; i++) hash = hash * 131 + (values[i] & 0xff);
        return hash;
    }
}
