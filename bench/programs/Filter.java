/** A symmetric low-pass filter over 16-bit samples, rounded and clipped. */
class Filter {
    static short[] samples;
    static short[] filtered;
    static short[] taps;

    static int init(int a, int b) {
        samples = new short[256];
        filtered = new short[256];
        taps = new short[8];
        for (int i = 0; i < 256; i++) {
            samples[i] = (short) (i * i * 777 + i * 31);
        }
        for (int i = 0; i < 8; i++) {
            taps[i] = (short) (600 + 1100 * i - (i & 1) * 3000);
        }
        return 0;
    }

    static int run(int a, int b) {
        samples[a & 255] ^= a;
        int energy = 0;
        for (int n = 15; n < b; n++) {
            int sum = 1 << 13;
            for (int k = 0; k < 8; k++) {
                sum += taps[k] * (samples[n - k] + samples[n - 15 + k]);
            }
            sum >>= 14;
            filtered[n] = (short) clip(sum);
            energy += filtered[n] * filtered[n] >> 8;
        }
        return energy;
    }

    private static int clip(int value) {
        if (value > 32767) {
            return 32767;
        }
        return value < -32768 ? -32768 : value;
    }
}
