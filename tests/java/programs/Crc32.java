/** CRC-32 bit by bit; run(0, 9) is over "123456789", whose published check value is CBF43926. */
class Crc32 {
    static int run(int seed, int length) {
        int crc = -1;
        for (int i = 0; i < length; i++) {
            int value = seed == 0 ? '1' + i : (seed = seed * 1103515245 + 12345) >>> 16;
            crc ^= value & 0xff;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc >>> 1) ^ (0xEDB88320 & -(crc & 1));
            }
        }
        return ~crc;
    }
}
