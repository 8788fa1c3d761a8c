/** All permutations by Heap's method without recursion, folded into a hash. */
class Permutations {
    static int run(int size) {
        byte[] items = new byte[size];
        int[] counters = new int[size];
        for (int i = 0; i < size; i++) items[i] = (byte) (i + 1);
        int hash = fold(items, 0);
        int i = 0;
        while (i < size) {
            if (counters[i] < i) {
                int other = (i & 1) == 0 ? 0 : counters[i];
                byte held = items[other];
                items[other] = items[i];
                items[i] = held;
                hash = fold(items, hash);
                counters[i]++;
                i = 0;
            } else {
                counters[i++] = 0;
            }
        }
        return hash;
    }

    static int fold(byte[] items, int hash) {
        for (int i = 0; i < items.length; i++) hash = hash * 31 + items[i];
        return hash;
    }
}
