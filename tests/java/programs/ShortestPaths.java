/** All shortest paths (Floyd and Warshall) of a random graph. */
class ShortestPaths {
    static final int INFINITE = 0x3fffffff;

    static int run(int seed, int nodes) {
        int[] distance = new int[nodes * nodes];
        for (int i = 0; i < nodes; i++) {
            for (int j = 0; j < nodes; j++) {
                seed = seed * 69069 + 1;
                distance[i * nodes + j] = i == j ? 0 : seed < 0 ? INFINITE : seed >>> 24;
            }
        }
        for (int k = 0; k < nodes; k++)
            for (int i = 0; i < nodes; i++)
                for (int j = 0; j < nodes; j++) {
                    int via = distance[i * nodes + k] + distance[k * nodes + j];
                    if (via < distance[i * nodes + j]) distance[i * nodes + j] = via;
                }
        int sum = 0;
        for (int i = 0; i < distance.length; i++) sum += distance[i];
        return sum;
    }
}
