/** Parameters and results of the narrow types, nested in one another. */
class NarrowReturns {
    static byte toByte(int value) {
        return (byte) value;
    }

    static short toShort(int value) {
        return (short) value;
    }

    static boolean toBoolean(int value) {
        return value != 0;
    }

    static int nested(int value) {
        return toShort(toByte(value) * 300) + (toBoolean(toByte(value << 4)) ? 1000000 : 0);
    }

    static int parameters(byte b, short s, boolean z) {
        return z ? b * s : b - s;
    }

    static int passed(int value) {
        return parameters((byte) value, (short) (value >> 3), (value & 1) == 0);
    }
}
