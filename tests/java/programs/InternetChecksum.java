/** The checksum of RFC 1071; run(0, 8) is the RFC's own example (0001 f203 f4f5 f6f7), 220d. */
class InternetChecksum {
    private static final byte[] EXAMPLE = {0, 1, (byte) 0xf2, 3, (byte) 0xf4, (byte) 0xf5, (byte) 0xf6, (byte) 0xf7};

    static int run(int seed, int length) {
        byte[] bytes = EXAMPLE;
        if (seed != 0) {
            bytes = new byte[length];
            for (int i = 0; i < length; i++) bytes[i] = (byte) (seed += 0x9e3779b9 ^ i);
        }
        return checksum(bytes, length);
    }

    private static int checksum(byte[] bytes, int length) {
        int sum = 0;
        int i = 0;
        for (; i + 1 < length; i += 2) {
            sum += (bytes[i] & 0xff) << 8 | bytes[i + 1] & 0xff;
        }
        if (i < length) sum += (bytes[i] & 0xff) << 8;
        while (sum >>> 16 != 0) sum = (sum & 0xffff) + (sum >>> 16);
        return ~sum & 0xffff;
    }
}
