/** Square matrices in one-dimensional arrays. */
class MatrixMultiply {
    static int run(int size, int power) {
        int[] base = new int[size * size];
        int[] result = new int[size * size];
        for (int i = 0; i < size * size; i++) base[i] = i * 7 % 11 - 5;
        for (int i = 0; i < size; i++) result[i * size + i] = 1;
        for (; power > 0; power--) result = times(result, base, size);
        int trace = 0;
        for (int i = 0; i < size; i++) trace += result[i * size + i];
        return trace;
    }

    static int[] times(int[] a, int[] b, int size) {
        int[] c = new int[size * size];
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                int sum = 0;
                for (int k = 0; k < size; k++) sum += a[i * size + k] * b[k * size + j];
                c[i * size + j] = sum;
            }
        }
        return c;
    }
}
