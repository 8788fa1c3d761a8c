/** Integer square roots by Newton's method and bit by bit, unsigned in the second. */
class SquareRoot {
    static int newton(int n) {
        if (n < 2) return n;
        int x = n / 2;
        while (true) {
            int y = (x + n / x) / 2;
            if (y >= x) return x;
            x = y;
        }
    }

    static int bitwise(int n) {
        int root = 0;
        for (int bit = 1 << 15; bit != 0; bit >>>= 1) {
            int candidate = root | bit;
            int square = candidate * candidate;
            if (square + 0x80000000 <= n + 0x80000000) root = candidate;
        }
        return root;
    }
}
