/** Reads numbers, words and signs out of text, by a switch over the kinds of bytes. */
class Tokens {
    private static final int START = 0;
    private static final int NUMBER = 1;
    private static final int WORD = 2;
    private static final int COMMENT = 3;

    static byte[] text;

    static int init(int a, int b) {
        text = new byte[512];
        int random = 31337;
        for (int i = 0; i < 512; i++) {
            random = random * 214013 + 2531011;
            int pick = random >>> 16 & 31;
            if (pick < 8) {
                text[i] = (byte) ('0' + pick);
            } else if (pick < 22) {
                text[i] = (byte) ('a' + pick);
            } else {
                switch (pick) {
                    case 22:
                        text[i] = '#';
                        break;
                    case 23:
                    case 24:
                        text[i] = '\n';
                        break;
                    case 25:
                        text[i] = '+';
                        break;
                    case 26:
                        text[i] = '*';
                        break;
                    default:
                        text[i] = ' ';
                }
            }
        }
        return 0;
    }

    static int run(int a, int b) {
        text[a & 127] = (byte) ('0' + a % 10);
        int state = START;
        int value = 0;
        int hash = 0;
        for (int i = 0; i < b; i++) {
            int c = text[i];
            switch (state) {
                case START:
                    if (c >= '0' && c <= '9') {
                        state = NUMBER;
                        value = c - '0';
                    } else if (c >= 'a' && c <= 'z') {
                        state = WORD;
                        value = c;
                    } else if (c == '#') {
                        state = COMMENT;
                    } else {
                        hash += sign(c);
                    }
                    break;
                case NUMBER:
                    if (c >= '0' && c <= '9') {
                        value = value * 10 + c - '0';
                    } else {
                        hash = hash * 7 + value;
                        state = START;
                    }
                    break;
                case WORD:
                    if (c >= 'a' && c <= 'z') {
                        value = value * 131 + c;
                    } else {
                        hash ^= value;
                        state = START;
                    }
                    break;
                default:
                    if (c == '\n') {
                        state = START;
                    }
            }
        }
        return hash;
    }

    private static int sign(int c) {
        switch (c) {
            case '+':
                return 1;
            case '*':
                return 2;
            case '\n':
                return 1000;
            default:
                return 0;
        }
    }
}
