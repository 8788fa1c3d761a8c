/** An interpreter in the interpreter: a small stack machine with byte code of its own. */
class StackMachine {
    static final byte PUSH = 0, LOAD = 1, STORE = 2, ADD = 3, MULTIPLY = 4, JUMP_IF = 5, DUPLICATE = 6, HALT = 7;

    /** Cell 1 becomes the factorial of cell 0. */
    static final byte[] FACTORIAL = {
        PUSH, 1, STORE, 1,
        LOAD, 1, LOAD, 0, MULTIPLY, STORE, 1,
        LOAD, 0, PUSH, -1, ADD, DUPLICATE, STORE, 0,
        JUMP_IF, 4,
        LOAD, 1, HALT,
    };

    static int run(int argument) {
        int[] stack = new int[8];
        int[] cells = new int[2];
        cells[0] = argument;
        int depth = 0;
        int pc = 0;
        while (true) {
            switch (FACTORIAL[pc++]) {
                case PUSH:
                    stack[depth++] = FACTORIAL[pc++];
                    break;
                case LOAD:
                    stack[depth++] = cells[FACTORIAL[pc++]];
                    break;
                case STORE:
                    cells[FACTORIAL[pc++]] = stack[--depth];
                    break;
                case ADD:
                    depth--;
                    stack[depth - 1] += stack[depth];
                    break;
                case MULTIPLY:
                    stack[--depth - 1] *= stack[depth];
                    break;
                case JUMP_IF:
                    pc = stack[--depth] != 0 ? FACTORIAL[pc] : pc + 1;
                    break;
                case DUPLICATE:
                    stack[depth] = stack[depth++ - 1];
                    break;
                case HALT:
                    return stack[depth - 1];
                default:
                    return -1;
            }
        }
    }
}
