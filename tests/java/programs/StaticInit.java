/** The order in which static fields get their values: constants first, then the text's order. */
class StaticInit {
    static int early = later();
    static final int CONSTANT = 77;
    static int ordinary = 5;
    static int twice = ordinary * 2 + early;
    static int[] filled = {1, -2, 300, -40000, 0x7fffffff};
    static final boolean COMPUTED = twice > 80;

    static {
        for (int i = 0; i < filled.length; i++) twice += filled[i];
        ordinary = -ordinary;
    }

    /** Sees the constant, and zero for the field that is set further down. */
    static int later() {
        return CONSTANT + ordinary;
    }

    static int early() {
        return early;
    }

    static int ordinary() {
        return ordinary;
    }

    static int twice() {
        return twice;
    }

    static boolean computed() {
        return COMPUTED;
    }
}
