/** Loops whose counters and sums wrap. */
class Overflow {
    static int upOverTheTop() {
        int steps = 0;
        for (int i = 0x7ffffff0; i > 0; i++) steps++;
        return steps;
    }

    static int downUnderTheBottom() {
        int steps = 0;
        for (int i = 0x80000010; i < 0; i -= 3) steps++;
        return steps;
    }

    static int byteCounter() {
        int steps = 0;
        for (byte i = 1; i > 0; i++) steps++;
        return steps;
    }

    static int shortCounter() {
        int steps = 0;
        for (short i = 0; i >= 0; i += 100) steps++;
        return steps;
    }

    static int product(int count) {
        int product = 1;
        for (int i = 1; i <= count; i++) product *= i;
        return product;
    }

    static int absolute(int value) {
        return value < 0 ? -value : value;
    }

    static int middle(int a, int b) {
        return (a + b) / 2 * 2 + (a + b >>> 1);
    }

    /** The wide form of {@code iinc}: constants of 16 bits. */
    static int wideSteps(int value) {
        value += 1000;
        value += -32768;
        value -= 129;
        value += 32767;
        value += 128;
        return value;
    }
}
