/** CRC-16/CCITT by a table of shorts; run(0, 9) is over "123456789": 29B1. */
class Crc16 {
    private static short[] table;

    static {
        table = new short[256];
        for (int i = 0; i < 256; i++) {
            int crc = i << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
            }
            table[i] = (short) crc;
        }
    }

    static int run(int seed, int length) {
        short crc = -1;
        for (int i = 0; i < length; i++) {
            int value = seed == 0 ? '1' + i : (seed += seed << 7 ^ i) & 0xff;
            crc = (short) (crc << 8 ^ table[(crc >>> 8 ^ value) & 0xff]);
        }
        return crc & 0xffff;
    }
}
