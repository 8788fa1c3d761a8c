/** Latencies counted in buckets of powers of two with four steps each; means that forget; percentiles. */
class LogHistogram {
    static final int STEPS = 4, BUCKETS = 32 * STEPS;
    final short[] counts = new short[BUCKETS];
    int total;
    int mean;
    int lowest;
    int highest;

    static LogHistogram histogram;

    LogHistogram() {
        histogram = this;
    }

    static int run(int seed, int samples) {
        histogram.reset();
        int random = seed;
        for (int i = 0; i < samples; i++) {
            random = random * 69069 + 1;
            histogram.add(random >>> 8 >>> (random & 15));
        }
        return histogram.percentile(50) ^ histogram.percentile(99) << 4 ^ histogram.mean ^ histogram.highest
                - histogram.lowest;
    }

    void reset() {
        for (int i = 0; i < counts.length; i++) counts[i] = 0;
        total = mean = highest = 0;
        lowest = Integer.MAX_VALUE;
    }

    void add(int value) {
        int bucket = bucket(value);
        if (counts[bucket] < Short.MAX_VALUE) {
            counts[bucket]++;
            total++;
        }
        mean += value - mean >> 3;
        if (value < lowest) lowest = value;
        if (value > highest) highest = value;
    }

    static int bucket(int value) {
        if (value < STEPS) return value;
        int exponent = 0;
        int rest = value;
        if (rest >= 1 << 16) {
            exponent += 16;
            rest >>>= 16;
        }
        if (rest >= 1 << 8) {
            exponent += 8;
            rest >>>= 8;
        }
        if (rest >= 1 << 4) {
            exponent += 4;
            rest >>>= 4;
        }
        if (rest >= 1 << 2) {
            exponent += 2;
            rest >>>= 2;
        }
        if (rest >= 2) exponent++;
        return (exponent - 1) * STEPS + (value >>> exponent - 2 & STEPS - 1);
    }

    int percentile(int percent) {
        int wanted = total * percent / 100;
        int seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += counts[i];
            if (seen > wanted) return i;
        }
        return BUCKETS;
    }
}
