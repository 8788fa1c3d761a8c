/** Conway's game of life on a torus of booleans. */
class GameOfLife {
    static final int SIDE = 16;
    static boolean[] cells = new boolean[SIDE * SIDE];
    static boolean[] next = new boolean[SIDE * SIDE];

    static int run(int seed, int generations) {
        for (int i = 0; i < cells.length; i++) {
            seed = seed * 1103515245 + 12345;
            cells[i] = (seed & 0x10000) != 0;
        }
        while (generations-- > 0) {
            for (int y = 0; y < SIDE; y++) {
                for (int x = 0; x < SIDE; x++) {
                    int around = around(x, y);
                    next[y * SIDE + x] = around == 3 || around == 2 && cells[y * SIDE + x];
                }
            }
            boolean[] held = cells;
            cells = next;
            next = held;
        }
        int hash = 0;
        for (int i = 0; i < cells.length; i++) hash = hash * 3 + (cells[i] ? 1 : 0);
        return hash;
    }

    static int around(int x, int y) {
        int count = 0;
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                if ((dx | dy) == 0) continue;
                int at = (y + dy & SIDE - 1) * SIDE + (x + dx & SIDE - 1);
                if (cells[at]) count++;
            }
        }
        return count;
    }
}
