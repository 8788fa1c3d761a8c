/** The n queens problem by backtracking over boolean arrays. */
class Queens {
    static boolean[] column;
    static boolean[] rising;
    static boolean[] falling;

    static int run(int size) {
        column = new boolean[size];
        rising = new boolean[2 * size];
        falling = new boolean[2 * size];
        return place(0, size);
    }

    static int place(int row, int size) {
        if (row == size) return 1;
        int solutions = 0;
        for (int x = 0; x < size; x++) {
            int up = row + x;
            int down = row - x + size;
            if (column[x] || rising[up] || falling[down]) continue;
            column[x] = rising[up] = falling[down] = true;
            solutions += place(row + 1, size);
            column[x] = rising[up] = falling[down] = false;
        }
        return solutions;
    }
}
