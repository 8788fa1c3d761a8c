/** One method for each computation on `int`. */
class Arithmetic {
    static int add(int a, int b) { return a + b; }
    static int subtract(int a, int b) { return a - b; }
    static int multiply(int a, int b) { return a * b; }
    static int divide(int a, int b) { return a / b; }
    static int remainder(int a, int b) { return a % b; }
    static int negate(int a) { return -a; }
    static int shiftLeft(int a, int b) { return a << b; }
    static int shiftRight(int a, int b) { return a >> b; }
    static int shiftRightUnsigned(int a, int b) { return a >>> b; }
    static int and(int a, int b) { return a & b; }
    static int or(int a, int b) { return a | b; }
    static int xor(int a, int b) { return a ^ b; }
    static int toByte(int a) { return (byte) a; }
    static int toShort(int a) { return (short) a; }
    static int increment(int a) { a += 1; return a; }
    static int decrementFar(int a) { a -= 1000; return a; }
    static int useThenCount(int a) { int before = a++; return a * 10 + before; }
    static int useAndForgetToCount(int a) { a = a++; return a; }
    static int roots(int a) { int root = 0; while ((root + 1) * (root + 1) <= a) root++; return root; }
    static int constants() { return -1 + 5 - 128 + 32767 - 100000; }

    /** A bit for each comparison that holds. */
    static int compare(int a, int b) {
        int bits = 0;
        if (a == b) bits |= 1;
        if (a != b) bits |= 2;
        if (a < b) bits |= 4;
        if (a >= b) bits |= 8;
        if (a > b) bits |= 16;
        if (a <= b) bits |= 32;
        return bits;
    }

    /** The same against zero. */
    static int sign(int a) {
        int bits = 0;
        if (a == 0) bits |= 1;
        if (a != 0) bits |= 2;
        if (a < 0) bits |= 4;
        if (a >= 0) bits |= 8;
        if (a > 0) bits |= 16;
        if (a <= 0) bits |= 32;
        return bits;
    }
}
