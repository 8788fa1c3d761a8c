/** Ackermann's function: recursion in an argument. */
class Ackermann {
    static int run(int m, int n) {
        if (m == 0) return n + 1;
        if (n == 0) return run(m - 1, 1);
        return run(m - 1, run(m, n - 1));
    }
}
