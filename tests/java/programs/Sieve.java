/** The sieve of Eratosthenes over a {@code boolean[]}. */
class Sieve {
    static int run(int limit) {
        boolean[] composite = new boolean[limit];
        int count = 0;
        for (int i = 2; i < limit; i++) {
            if (composite[i]) continue;
            count++;
            for (int j = i + i; j < limit; j += i) composite[j] = true;
        }
        return count;
    }
}
