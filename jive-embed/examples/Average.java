/** Averages measurements that the embedding program makes. */
class Average {
    /** Returns the next measurement. The embedding program performs it. */
    static native int measure(int sensor);

    /** Returns the average of `count` measurements of a sensor. */
    static int of(int sensor, int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += measure(sensor);
        }
        return sum / count;
    }
}
