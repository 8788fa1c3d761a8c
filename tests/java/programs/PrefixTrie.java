/** Routes by longest prefix: a binary trie in arrays. */
class PrefixTrie {
    static final int NODES = 1024;
    static final short[] zero = new short[NODES];
    static final short[] one = new short[NODES];
    static final byte[] route = new byte[NODES];
    static int nodes;

    static int run(int seed, int lookups) {
        for (int i = 0; i < NODES; i++) {
            zero[i] = one[i] = 0;
            route[i] = -1;
        }
        nodes = 1;
        insert(0, 0, 1);
        int random = seed;
        for (int i = 2; i < 40; i++) {
            random = random * 1664525 + 1013904223;
            insert(random, 4 + (random >>> 3) % 17, i);
        }
        int hash = nodes;
        random = seed;
        for (int i = 0; i < lookups; i++) {
            random = random * 1664525 + 1013904223;
            hash = hash * 31 + lookup(random ^ (i & 0xff) << 8);
        }
        return hash;
    }

    static void insert(int prefix, int bits, int to) {
        int node = 0;
        for (int i = 0; i < bits; i++) {
            short[] children = (prefix & 1 << 31 - i) == 0 ? zero : one;
            if (children[node] == 0) {
                if (nodes == NODES) return;
                children[node] = (short) nodes++;
            }
            node = children[node];
        }
        route[node] = (byte) to;
    }

    static int lookup(int address) {
        int node = 0;
        int best = route[0];
        while (true) {
            node = address < 0 ? one[node] : zero[node];
            if (node == 0) return best;
            if (route[node] >= 0) best = route[node];
            address <<= 1;
        }
    }
}
