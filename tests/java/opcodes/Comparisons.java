/** One comparison a method, named after the opcode that decides it (javac jumps on the opposite). */
class Comparisons {
    static boolean eq(int a, int b) { return a == b; }
    static boolean ne(int a, int b) { return a != b; }
    static boolean lt(int a, int b) { return a < b; }
    static boolean ge(int a, int b) { return a >= b; }
    static boolean gt(int a, int b) { return a > b; }
    static boolean le(int a, int b) { return a <= b; }
    static boolean eqZero(int a) { return a == 0; }
    static boolean neZero(int a) { return a != 0; }
    static boolean ltZero(int a) { return a < 0; }
    static boolean geZero(int a) { return a >= 0; }
    static boolean gtZero(int a) { return a > 0; }
    static boolean leZero(int a) { return a <= 0; }

    static int references(boolean first, boolean second) {
        int[] array = new int[1];
        int[] a = first ? array : null;
        int[] b = second ? array : new int[1];
        int result = 0;
        if (a == b) result += 1;
        if (a != b) result += 2;
        if (a == null) result += 4;
        if (a != null) result += 8;
        return result;
    }
}
