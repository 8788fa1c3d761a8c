/** Branches, switches and calls. */
class Control {
    static int table(int key) {
        switch (key) { case -1: return 10; case 0: return 11; case 1: return 12; case 3: return 13; default: return 99; }
    }
    static int tableAtTop(int key) {
        switch (key) { case 2147483645: return 1; case 2147483646: return 2; case 2147483647: return 3; default: return 99; }
    }
    static int tableAtBottom(int key) {
        switch (key) { case -2147483648: return 1; case -2147483647: return 2; case -2147483646: return 3; default: return 99; }
    }
    static int lookup(int key) {
        switch (key) { case -2147483648: return 1; case -7: return 2; case 0: return 3; case 1000: return 4; case 2147483647: return 5; default: return 99; }
    }
    static int lookupNone(int key) { switch (key) { default: return 42; } }

    static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
    static boolean even(int n) { return n == 0 ? true : odd(n - 1); }
    static boolean odd(int n) { return n == 0 ? false : even(n - 1); }
    static int order(int a, int b, int c) { return a * 100 + b * 10 + c; }
    static int orderOf() { return order(1, 2, 3); }
    static void down(int n) { if (n > 1) down(n - 1); }
    static void endless() { endless(); }
    static void loop() { while (true) { } }
    static int two() { return 2; }
    static int twice() { return two() + two(); }
    static void nothing() { }

    private int secret(int a) { return a + 1; }
    int open(int a) { return secret(a) + 1; }
    int viaThis(int a) { Control c = this; return c.open(a) * 2; }
    static int viaNull() { Control c = null; return c.open(1); }
    static int viaNullSecret() { Control c = null; return c.secret(1); }
    static int references() {
        int[] a = null; int[] b = new int[1];
        int bits = 0;
        if (a == null) bits |= 1;
        if (b != null) bits |= 2;
        if (a != b) bits |= 4;
        a = b;
        if (a == b) bits |= 8;
        return bits;
    }
}
