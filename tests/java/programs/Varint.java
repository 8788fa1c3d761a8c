/** LEB128 and zigzag coding of ints. */
class Varint {
    private static final byte[] BUFFER = new byte[5];

    static int run(int value) {
        int zigzag = value << 1 ^ value >> 31;
        int length = 0;
        int rest = zigzag;
        while ((rest & ~0x7f) != 0) {
            BUFFER[length++] = (byte) (rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        BUFFER[length++] = (byte) rest;

        int decoded = 0;
        int shift = 0;
        int at = 0;
        byte group;
        do {
            group = BUFFER[at++];
            decoded |= (group & 0x7f) << shift;
            shift += 7;
        } while (group < 0);
        decoded = decoded >>> 1 ^ -(decoded & 1);
        return decoded == value ? length : -length;
    }
}
