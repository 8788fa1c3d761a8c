/** 16.16 fixed point: product by parts, division bit by bit, a sine by its series. */
class FixedPoint {
    static final int ONE = 1 << 16;

    static int times(int a, int b) {
        int high = (a >> 16) * (b >> 16);
        int middle = (a >> 16) * (b & 0xffff) + (b >> 16) * (a & 0xffff);
        int low = (a & 0xffff) * (b & 0xffff) >>> 16;
        return (high << 16) + middle + low;
    }

    static int sine(int x) {
        int square = times(x, x);
        int term = x;
        int sum = x;
        for (int n = 2; n <= 10; n += 2) {
            term = -times(term, square) / (n * (n + 1));
            sum += term;
        }
        return sum;
    }
}
