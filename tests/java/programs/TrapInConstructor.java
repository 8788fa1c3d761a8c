/** A class whose constructor traps. */
class TrapInConstructor {
    int[] values;

    TrapInConstructor() {
        values[0] = 1;
    }

    static int run() {
        return 1;
    }
}
