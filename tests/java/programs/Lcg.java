/** Linear congruential generators side by side, and a spectral count. */
class Lcg {
    static int seed = 42;

    static int next() {
        return (seed = seed * 1103515245 + 12345) >>> 16 & 0x7fff;
    }

    static int run(int count) {
        int[] buckets = new int[16];
        for (int i = 0; i < count; i++) buckets[next() & 15]++;
        int spread = 0;
        for (int i = 0; i < 16; i++) spread += buckets[i] * buckets[i];
        return spread;
    }
}
