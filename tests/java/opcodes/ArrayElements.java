/** Stores into and loads from each kind of array: narrowing, sign, bounds, length. */
class ArrayElements {
    static int bytes(int value) {
        byte[] array = new byte[3];
        array[1] = (byte) value;
        return array[0] + array[1] * 3 + array[2];
    }

    static int shorts(int value) {
        short[] array = new short[3];
        array[1] = (short) value;
        return array[0] + array[1] * 3 + array[2];
    }

    static int ints(int value) {
        int[] array = new int[3];
        array[1] = value;
        return array[0] ^ array[1] ^ array[2];
    }

    static int booleans(int value) {
        boolean[] array = new boolean[3];
        array[1] = value > 0;
        return (array[0] ? 1 : 0) + (array[1] ? 2 : 0) + (array[2] ? 4 : 0);
    }

    static int length(int length) {
        int guarded = length > 1000 ? 1000 : length;
        return new int[guarded].length;
    }

    static int byteIndex(int index) {
        byte[] array = new byte[32];
        return array[index];
    }

    static int shortIndex(int index) {
        short[] array = new short[32];
        return array[index];
    }

    static int intIndex(int index) {
        int[] array = new int[32];
        return array[index];
    }

    static int booleanIndex(int index) {
        boolean[] array = new boolean[32];
        return array[index] ? 1 : 0;
    }

    static int byteStore(int index, int value) {
        byte[] array = new byte[32];
        array[index] = (byte) value;
        return array[index];
    }

    static int shortStore(int index, int value) {
        short[] array = new short[32];
        array[index] = (short) value;
        return array[index];
    }

    static int intStore(int index, int value) {
        int[] array = new int[32];
        array[index] = value;
        return array[index];
    }

    static int booleanStore(int index, int value) {
        boolean[] array = new boolean[32];
        array[index] = value != 0;
        return array[index] ? 1 : 0;
    }
}
