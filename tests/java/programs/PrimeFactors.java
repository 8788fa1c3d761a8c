/** Trial division into an array, which the result folds. */
class PrimeFactors {
    static int run(int n) {
        int[] factors = new int[32];
        int count = 0;
        for (int p = 2; p <= n / p; p += p == 2 ? 1 : 2) {
            while (n % p == 0) {
                factors[count++] = p;
                n /= p;
            }
        }
        if (n > 1) factors[count++] = n;
        int fold = count;
        for (int i = 0; i < count; i++) fold = fold * 101 + factors[i];
        return fold;
    }
}
