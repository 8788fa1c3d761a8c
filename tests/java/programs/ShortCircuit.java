/** Conditional operators and the effects that they skip. */
class ShortCircuit {
    static int effects;

    static boolean note(int mark, boolean value) {
        effects = effects * 10 + mark;
        return value;
    }

    static int run(int bits) {
        effects = 0;
        boolean a = (bits & 1) != 0;
        boolean b = (bits & 2) != 0;
        boolean c = (bits & 4) != 0;
        boolean result = note(1, a) && note(2, b) || !note(3, c) && (note(4, a) ^ note(5, b)) | note(6, c);
        int choice = a ? b ? c ? 1 : 2 : 3 : b == c ? 4 : 5;
        return effects * 100 + choice * 10 + (result ? 1 : 0);
    }
}
