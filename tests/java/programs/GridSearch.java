/** Breadth-first search through a maze of bytes. */
class GridSearch {
    static final int SIDE = 20;

    static int run(int seed, int density) {
        byte[] maze = new byte[SIDE * SIDE];
        int[] queue = new int[SIDE * SIDE];
        int[] distance = new int[SIDE * SIDE];
        for (int i = 1; i < maze.length - 1; i++) {
            seed = seed * 1103515245 + 12345;
            if ((seed >>> 16) % 100 < density) maze[i] = 1;
        }
        int head = 0, tail = 1;
        maze[0] = 1;
        search:
        while (head < tail) {
            int at = queue[head++];
            for (int side = 0; side < 4; side++) {
                int x = at % SIDE;
                int y = at / SIDE;
                switch (side) {
                    case 0: x--; break;
                    case 1: x++; break;
                    case 2: y--; break;
                    default: y++;
                }
                if (x < 0 || y < 0 || x >= SIDE || y >= SIDE) continue;
                int to = y * SIDE + x;
                if (maze[to] != 0) continue;
                maze[to] = 1;
                distance[to] = distance[at] + 1;
                if (to == maze.length - 1) break search;
                queue[tail++] = to;
            }
        }
        return distance[maze.length - 1] << 16 | tail;
    }
}
