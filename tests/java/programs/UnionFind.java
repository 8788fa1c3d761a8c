/** Disjoint sets with path halving; counts the sets after random unions. */
class UnionFind {
    static short[] parent;

    static int run(int seed, int items, int unions) {
        parent = new short[items];
        for (short i = 0; i < items; i++) parent[i] = i;
        int sets = items;
        for (int i = 0; i < unions; i++) {
            seed = seed * 1103515245 + 12345;
            short a = find((short) ((seed >>> 16) % items));
            seed = seed * 1103515245 + 12345;
            short b = find((short) ((seed >>> 16) % items));
            if (a != b) {
                parent[a] = b;
                sets--;
            }
        }
        return sets;
    }

    static short find(short item) {
        while (parent[item] != item) {
            parent[item] = parent[parent[item]];
            item = parent[item];
        }
        return item;
    }
}
