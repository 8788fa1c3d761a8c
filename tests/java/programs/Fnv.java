/** FNV-1a: a multiplication that overflows at every step. */
class Fnv {
    static int run(int value, int rounds) {
        int hash = 0x811c9dc5;
        for (int i = 0; i < rounds; i++) {
            for (int shift = 0; shift < 32; shift += 8) {
                hash ^= value >>> shift & 0xff;
                hash *= 0x01000193;
            }
        }
        return hash;
    }
}
