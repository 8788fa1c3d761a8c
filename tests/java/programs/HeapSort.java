/** Heapsort over a {@code byte[]}: signed order. */
class HeapSort {
    static int run(int seed, int count) {
        byte[] heap = new byte[count];
        for (int i = 0; i < count; i++) {
            seed = seed * 1664525 + 1013904223;
            heap[i] = (byte) (seed >> 24);
        }
        for (int i = count / 2 - 1; i >= 0; i--) sink(heap, i, count);
        for (int end = count - 1; end > 0; end--) {
            byte top = heap[0];
            heap[0] = heap[end];
            heap[end] = top;
            sink(heap, 0, end);
        }
        int hash = 0;
        for (int i = 0; i < count; i++) hash = (hash << 5) - hash + heap[i];
        return hash;
    }

    static void sink(byte[] heap, int at, int end) {
        for (;;) {
            int child = 2 * at + 1;
            if (child >= end) return;
            if (child + 1 < end && heap[child + 1] > heap[child]) child++;
            if (heap[at] >= heap[child]) return;
            byte held = heap[at];
            heap[at] = heap[child];
            heap[child] = held;
            at = child;
        }
    }
}
