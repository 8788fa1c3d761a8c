/** Longest-prefix match of IPv4 addresses in a binary trie that lies in an array. */
class Routes {
    /** Three ints a node: the child for 0, the child for 1, the route or 0. */
    static int[] nodes;
    static int used;

    static int init(int a, int b) {
        nodes = new int[6144];
        used = 1;
        int random = 5;
        for (int route = 1; route <= 64; route++) {
            random = random * 1103515245 + 12345;
            int length = 8 + (random >>> 28);
            random = random * 1103515245 + 12345;
            insert(random & 0x0fffffff, length, route);
        }
        return 0;
    }

    private static void insert(int prefix, int length, int route) {
        int node = 0;
        for (int depth = 0; depth < length; depth++) {
            int child = node * 3 + (prefix >>> 31 - depth & 1);
            if (nodes[child] == 0) {
                nodes[child] = used++;
            }
            node = nodes[child];
        }
        nodes[node * 3 + 2] = route;
    }

    static int run(int a, int b) {
        int sum = 0;
        int address = a * 0x01000193;
        for (int i = 0; i < b; i++) {
            address = address * 1664525 + 1013904223;
            sum = sum * 31 + lookup(address & 0x0fffffff);
        }
        return sum;
    }

    private static int lookup(int address) {
        int node = 0;
        int route = 0;
        for (int depth = 0; depth < 32; depth++) {
            node = nodes[node * 3 + (address >>> 31 - depth & 1)];
            if (node == 0) {
                return route;
            }
            int here = nodes[node * 3 + 2];
            if (here != 0) {
                route = here;
            }
        }
        return route;
    }
}
