/** Every form of switch: dense, sparse, negative, extreme, empty, nested, falling through. */
class SwitchForms {
    static int dense(int value) {
        switch (value) {
            case 0: return 10;
            case 1: return 11;
            case 2:
            case 3: return 12;
            case 5: return 15;
            default: return -1;
        }
    }

    static int negative(int value) {
        switch (value) {
            case -3: return 1;
            case -2: return 2;
            case -1: return 3;
            case 0: return 4;
        }
        return 0;
    }

    static int extreme(int value) {
        switch (value) {
            case 0x80000000: return 1;
            case -1: return 2;
            case 0: return 3;
            case 0x7fffffff: return 4;
            default: return 5;
        }
    }

    /** Dense at the upper end of the ints, where low plus size overflows. */
    static int highest(int value) {
        switch (value) {
            case 0x7ffffffc: return 1;
            case 0x7ffffffd: return 2;
            case 0x7ffffffe: return 3;
            case 0x7fffffff: return 4;
            default: return 0;
        }
    }

    /** Dense at the lower end. */
    static int lowest(int value) {
        switch (value) {
            case 0x80000000: return 1;
            case 0x80000001: return 2;
            case 0x80000002: return 3;
            case 0x80000003: return 4;
            default: return 0;
        }
    }

    static int fallThrough(int value) {
        int sum = 0;
        switch (value) {
            case 1: sum += 1;
            case 100: sum += 10;
            case 10000: sum += 100;
            default: sum += 1000;
            case -5: sum += 10000;
        }
        return sum;
    }

    static int empty(int value) {
        switch (value) {
        }
        switch (value) {
            default:
                value++;
        }
        return value;
    }

    static int loop(int count) {
        int state = 0;
        int hash = 0;
        for (int i = 0; i < count; i++) {
            switch (state) {
                case 0:
                    state = i % 3 == 0 ? 1 : 7;
                    continue;
                case 1:
                    hash += 5;
                    state = 7;
                    break;
                case 7:
                    hash *= 3;
                    state = i & 1;
                    break;
            }
            hash ^= i;
        }
        return hash;
    }
}
