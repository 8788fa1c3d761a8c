/** Euclid's algorithm, recursive and by loop; both must agree. */
class Gcd {
    static int run(int a, int b) {
        int recursive = recursive(a, b);
        while (b != 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        return recursive == a ? a : 0x7fffffff;
    }

    static int recursive(int a, int b) {
        return b == 0 ? a : recursive(b, a % b);
    }
}
