/** Median of a window that moves over samples: a sorted list, one sample out and one in. */
class Median {
    static short[] samples;
    static short[] window;

    static int init(int a, int b) {
        samples = new short[256];
        window = new short[9];
        int random = 3;
        for (int i = 0; i < 256; i++) {
            random = random * 134775813 + 1;
            samples[i] = (short) (random >>> 16);
        }
        return 0;
    }

    static int run(int a, int b) {
        samples[a & 255] = (short) (a * 251);
        int held = 0;
        int hash = 0;
        for (int i = 0; i < b; i++) {
            if (held == 9) {
                remove(samples[i - 9]);
                held--;
            }
            insert(samples[i], held);
            held++;
            hash = hash * 31 + window[held >> 1];
        }
        return hash;
    }

    private static void remove(short sample) {
        int at = 0;
        while (window[at] != sample) {
            at++;
        }
        for (; at < 8; at++) {
            window[at] = window[at + 1];
        }
    }

    private static void insert(short sample, int held) {
        int at = held;
        while (at > 0 && window[at - 1] > sample) {
            window[at] = window[at - 1];
            at--;
        }
        window[at] = sample;
    }
}
