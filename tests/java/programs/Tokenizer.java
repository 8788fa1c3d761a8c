/** Arithmetic written out as text, cut into tokens and computed by precedence. */
class Tokenizer {
    static final int END = 0, NUMBER = 1, OPERATOR = 2, OPEN = 3, CLOSE = 4, ERROR = 5;
    static final byte[] text = new byte[256];
    static int length;
    static int at;
    static int value;
    static byte operator;
    static final int[] operands = new int[32];
    static final byte[] operators = new byte[32];

    static int run(int seed, int terms) {
        write(seed, terms);
        return compute();
    }

    /** A text that is no expression. */
    static int wrong(int letter) {
        length = 0;
        text[length++] = '1';
        text[length++] = (byte) letter;
        return compute();
    }

    static void write(int seed, int terms) {
        length = 0;
        int open = 0;
        for (int i = 0; i < terms; i++) {
            int bits = seed * (i + 1) >>> 3;
            if ((bits & 7) == 3) {
                text[length++] = '(';
                open++;
            }
            writeNumber(bits >>> 8 & 0x3ff);
            if (open > 0 && (bits & 0x18) == 0) {
                text[length++] = ')';
                open--;
            }
            if ((bits & 0x20) != 0) text[length++] = ' ';
            if (i + 1 < terms) {
                int kind = bits >>> 6 & 3;
                text[length++] = (byte) (kind == 0 ? '+' : kind == 1 ? '-' : kind == 2 ? '*' : '&');
            }
        }
        for (; open > 0; open--) text[length++] = ')';
    }

    static void writeNumber(int number) {
        if (number >= 10) writeNumber(number / 10);
        text[length++] = (byte) ('0' + number % 10);
    }

    static int next() {
        while (at < length && text[at] == ' ') at++;
        if (at == length) return END;
        byte letter = text[at++];
        switch (letter) {
            case '(':
                return OPEN;
            case ')':
                return CLOSE;
            case '+':
            case '-':
            case '*':
            case '&':
                operator = letter;
                return OPERATOR;
            default:
                if (letter < '0' || letter > '9') return ERROR;
                value = letter - '0';
                while (at < length && text[at] >= '0' && text[at] <= '9') value = value * 10 + text[at++] - '0';
                return NUMBER;
        }
    }

    static int compute() {
        at = 0;
        int depth = 0;
        int waiting = 0;
        while (true) {
            int token = next();
            switch (token) {
                case NUMBER:
                    operands[depth++] = value;
                    break;
                case OPEN:
                    operators[waiting++] = '(';
                    break;
                case OPERATOR:
                    while (waiting > 0 && precedence(operators[waiting - 1]) >= precedence(operator)) {
                        depth = apply(operators[--waiting], depth);
                    }
                    operators[waiting++] = operator;
                    break;
                case CLOSE:
                case END:
                    while (waiting > 0 && operators[waiting - 1] != '(') depth = apply(operators[--waiting], depth);
                    if (token == END) return operands[0];
                    waiting--;
                    break;
                default:
                    return -1;
            }
        }
    }

    static int precedence(byte operator) {
        return operator == '*' ? 3 : operator == '&' ? 1 : operator == '(' ? 0 : 2;
    }

    static int apply(byte operator, int depth) {
        int right = operands[depth - 1];
        int left = operands[depth - 2];
        operands[depth - 2] = operator == '+' ? left + right
                : operator == '-' ? left - right
                : operator == '*' ? left * right : left & right;
        return depth - 1;
    }
}
