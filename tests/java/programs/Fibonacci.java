/** Fibonacci numbers by recursion, by loop and by memory that lasts between calls. */
class Fibonacci {
    static int[] memory = new int[64];

    static int recursive(int n) {
        return n < 2 ? n : recursive(n - 1) + recursive(n - 2);
    }

    static int loop(int n) {
        int a = 0, b = 1;
        while (n-- > 0) {
            b = a + b;
            a = b - a;
        }
        return a;
    }

    static int remembered(int n) {
        if (n < 2) return n;
        if (memory[n] == 0) memory[n] = remembered(n - 1) + remembered(n - 2);
        return memory[n];
    }
}
