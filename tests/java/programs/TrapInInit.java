/** A class whose static initializer traps. */
class TrapInInit {
    static int[] values = new int[2];

    static {
        values[0] = 1;
        values[values.length] = 2;
    }

    static int run() {
        return values[0];
    }
}
