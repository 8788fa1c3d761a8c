/** Gray code there and back for a range of numbers. */
class GrayCode {
    static int run(int from, int count) {
        int hash = 0;
        for (int i = from; count-- > 0; i++) {
            int gray = i ^ i >>> 1;
            int back = gray;
            for (int shift = 1; shift < 32; shift <<= 1) back ^= back >>> shift;
            if (back != i) return ~i;
            hash = hash * 5 + gray;
        }
        return hash;
    }
}
