/** The high word of a 64-bit product, from 16-bit parts. */
class MultiplyHigh {
    static int run(int a, int b) {
        int aLow = a & 0xffff;
        int aHigh = a >> 16;
        int bLow = b & 0xffff;
        int bHigh = b >> 16;
        int low = aLow * bLow;
        int cross = aHigh * bLow + (low >>> 16);
        int sum = aLow * bHigh + (cross & 0xffff);
        return aHigh * bHigh + (cross >> 16) + (sum >> 16);
    }
}
