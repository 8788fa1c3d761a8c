/** Numbers in Elias gamma code: written to a stream of bits and read back. */
class Gamma {
    static byte[] bits;
    static int place;

    static int init(int a, int b) {
        bits = new byte[1024];
        return 0;
    }

    static int run(int a, int b) {
        place = 0;
        int seed = a;
        for (int i = 0; i < b; i++) {
            seed = seed * 69069 + 1;
            write((seed >>> 22) + 1);
        }
        int end = place;
        place = 0;
        int hash = end;
        while (place < end) {
            hash = hash * 31 ^ read();
        }
        return hash;
    }

    private static void write(int value) {
        int width = 0;
        while (value >>> width + 1 != 0) {
            width++;
        }
        for (int i = 0; i < width; i++) {
            put(0);
        }
        for (int i = width; i >= 0; i--) {
            put(value >>> i & 1);
        }
    }

    private static int read() {
        int width = 0;
        while (get() == 0) {
            width++;
        }
        int value = 1;
        for (int i = 0; i < width; i++) {
            value = value << 1 | get();
        }
        return value;
    }

    private static void put(int bit) {
        int index = place >> 3;
        int mask = 0x80 >> (place & 7);
        bits[index] = (byte) (bit != 0 ? bits[index] | mask : bits[index] & ~mask);
        place++;
    }

    private static int get() {
        int bit = bits[place >> 3] >> 7 - (place & 7) & 1;
        place++;
        return bit;
    }
}
