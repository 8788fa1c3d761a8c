/** Compound assignment to array elements and fields: dup forms, and narrowing on the way back. */
class CompoundAssignment {
    static short field = 30000;
    byte own = 100;
    static CompoundAssignment self;
    static int[] ints = new int[4];
    static byte[] bytes = new byte[4];
    static short[] shorts = new short[4];

    CompoundAssignment() {
        self = this;
    }

    static int arrays(int value) {
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            sum += ints[i] += value * i;
            sum += bytes[i] -= value;
            sum += shorts[i] *= value + 1;
            sum ^= ints[i]++;
            sum ^= ++bytes[i];
            sum ^= shorts[i]-- << i;
            sum += ints[i] >>>= 1;
            sum += bytes[i] >>>= 1;
            sum += shorts[i] ^= value;
        }
        return sum;
    }

    static int fields(int value) {
        int a = field += value;
        int b = self.own *= value;
        int c = field++;
        int d = --self.own;
        int e = field /= 3;
        int f = self.own %= 7;
        return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f;
    }
}
