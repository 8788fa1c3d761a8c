/** A ring whose state lasts from one call to the next. */
class RingBuffer {
    static final int SLOTS = 8;
    static int[] ring = new int[SLOTS];
    static int head;
    static int tail;

    /** Returns false when the ring is full. */
    static boolean push(int value) {
        if (tail - head == SLOTS) return false;
        ring[tail++ & SLOTS - 1] = value;
        return true;
    }

    /** Returns the oldest value, or -1. */
    static int pop() {
        return head == tail ? -1 : ring[head++ & SLOTS - 1];
    }

    static void clear() {
        head = tail = 0;
    }

    static int size() {
        return tail - head;
    }
}
