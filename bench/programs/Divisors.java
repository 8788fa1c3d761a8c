/** Sums the greatest divisors of successive numbers: divisions and remainders. */
class Divisors {
    static int from;

    static int init(int a, int b) {
        from = 1000;
        return 0;
    }

    static int run(int a, int b) {
        int sum = 0;
        for (int n = from + a; n < from + a + b; n++) {
            sum += greatest(n);
        }
        return sum;
    }

    private static int greatest(int n) {
        for (int d = 2; d <= n / d; d++) {
            if (n % d == 0) {
                return n / d;
            }
        }
        return 1;
    }
}
