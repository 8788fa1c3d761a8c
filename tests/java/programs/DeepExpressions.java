/** Expressions that hold many values on the operand stack, with side effects in order. */
class DeepExpressions {
    static int ticks;

    static int tick() {
        return ++ticks;
    }

    static int run(int x) {
        ticks = 0;
        int a = tick() - (tick() - (tick() - (tick() - (tick() - (tick() - (tick() - (tick() - x)))))));
        int b = x + (x ^ (x | (x & (x + (x ^ (x << (x >> (x - (x * (x + tick()))))))))));
        int[] array = new int[8];
        int i = 0;
        array[i++] = i++ + ++i;
        array[i] = i = 5;
        array[array[3] & 7] += array[i - 5] = tick();
        int c = 0;
        for (int j = 0; j < 8; j++) c = c * 17 + array[j];
        return a * 7 + b * 3 + c;
    }
}
