/** Fletcher's checksum with the sums in short fields, which wrap. */
class Fletcher {
    static short low;
    static short high;

    static int run(int seed, int length) {
        low = 0;
        high = 0;
        for (int i = 0; i < length; i++) {
            low += (seed >>> (i & 31)) & 0xff;
            high += low;
        }
        return high << 16 | low & 0xffff;
    }
}
