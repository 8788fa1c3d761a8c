/** Each trap of the Java language, a method each, the faulting expression on a line of its own. */
class Traps {
    static int[] empty = new int[0];
    static int[] missing;
    static int depth;

    static int divide(int a, int b) {
        int sum = a + b;
        return sum
            + a / b;
    }

    static int remainder(int a, int b) {
        return a
            % b;
    }

    static int load(int index) {
        int[] array = new int[3];
        return
            array[index];
    }

    static int loadByte(int index) {
        byte[] array = new byte[2];
        return array[
            index];
    }

    static int store(int index, int value) {
        short[] array = new short[3];
        array[index] =
            (short) value;
        return array[0] + array[1] + array[2];
    }

    static int newArray(int length) {
        boolean[] array =
            new boolean[length];
        return array.length;
    }

    static int nullLoad() {
        return missing[0];
    }

    static int nullStore() {
        missing[0] = 1;
        return 0;
    }

    static int nullLength() {
        return missing.length;
    }

    /** Null is tested before the index, and the index before the value is narrowed. */
    static int order(int which) {
        int[] array = which == 0 ? null : empty;
        array[-1] = which;
        return 0;
    }

    static int recurse(int n) {
        return recurse(n + 1) + 1;
    }

    /** The trap is in a callee: its method and its line are reported. */
    static int nested(int b) {
        int result = 1;
        result += divide(10, b);
        return result;
    }

    /** What was done before the trap stands. */
    static int partly(int divisor) {
        depth += 1;
        empty = new int[depth];
        depth += 10 / divisor;
        return depth;
    }

    static int state() {
        return depth * 100 + empty.length;
    }
}
