/** Counts by key. The second version counts by ten, from where the first one was. */
class Counter {
    private static int[] totals = new int[8];

    static int count(int key) {
        return totals[key & 7] += 10;
    }
}
