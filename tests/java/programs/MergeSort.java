/** Merge sort from the bottom up, two arrays that change roles. */
class MergeSort {
    static int run(int seed, int count) {
        int[] from = new int[count];
        int[] to = new int[count];
        for (int i = 0; i < count; i++) {
            seed = seed * 22695477 + 1;
            from[i] = seed >>> 3;
        }
        for (int width = 1; width < count; width *= 2) {
            for (int low = 0; low < count; low += 2 * width) {
                int middle = low + width < count ? low + width : count;
                int high = low + 2 * width < count ? low + 2 * width : count;
                int left = low;
                int right = middle;
                for (int i = low; i < high; i++) {
                    if (left < middle && (right >= high || from[left] <= from[right])) {
                        to[i] = from[left++];
                    } else {
                        to[i] = from[right++];
                    }
                }
            }
            int[] held = from;
            from = to;
            to = held;
        }
        int hash = 1;
        for (int i = 0; i < count; i++) hash = hash * 37 + from[i];
        return hash;
    }
}
