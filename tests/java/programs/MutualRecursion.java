/** Three methods that call one another in turn. */
class MutualRecursion {
    static int calls;

    static int run(int n) {
        calls = 0;
        return first(n) * 1000 + calls;
    }

    private static int first(int n) {
        calls++;
        return n <= 0 ? 1 : second(n - 1) + n;
    }

    private static int second(int n) {
        calls++;
        return n <= 0 ? 2 : third(n - 1) ^ n;
    }

    private static int third(int n) {
        calls++;
        return n <= 0 ? 3 : first(n - 2) - n;
    }
}
