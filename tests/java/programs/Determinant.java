/** A determinant modulo a prime by elimination, with modular inverses. */
class Determinant {
    static final int PRIME = 10007;

    static int run(int seed, int size) {
        int[] m = new int[size * size];
        for (int i = 0; i < m.length; i++) {
            seed = seed * 1103515245 + 12345;
            m[i] = (seed >>> 16) % PRIME;
        }
        int determinant = 1;
        for (int step = 0; step < size; step++) {
            int pivot = step;
            while (pivot < size && m[pivot * size + step] == 0) pivot++;
            if (pivot == size) return 0;
            if (pivot != step) {
                determinant = PRIME - determinant;
                for (int j = 0; j < size; j++) {
                    int held = m[pivot * size + j];
                    m[pivot * size + j] = m[step * size + j];
                    m[step * size + j] = held;
                }
            }
            determinant = determinant * m[step * size + step] % PRIME;
            int inverse = power(m[step * size + step], PRIME - 2);
            for (int i = step + 1; i < size; i++) {
                int factor = m[i * size + step] * inverse % PRIME;
                for (int j = step; j < size; j++) {
                    int next = m[i * size + j] - factor * m[step * size + j] % PRIME;
                    m[i * size + j] = next < 0 ? next + PRIME : next;
                }
            }
        }
        return determinant;
    }

    static int power(int base, int exponent) {
        int result = 1;
        for (; exponent != 0; exponent >>= 1) {
            if ((exponent & 1) != 0) result = result * base % PRIME;
            base = base * base % PRIME;
        }
        return result;
    }
}
