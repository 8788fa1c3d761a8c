/** Loops with and without a bound. The tests of `jive bound` state what is expected of each method. */
public class Rounds {
    static int any;
    static int always = 12;
    static byte small;
    static byte[] six = new byte[6];
    static int[] table = new int[10];

    /** Any value may be stored to {@link #any}. */
    static void set(int value) {
        any = value;
        small = (byte) value;
    }

    static int up() {
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            sum += i;
        }
        return sum;
    }

    static int down() {
        int sum = 0;
        for (int i = 10; i > 0; i -= 3) {
            sum += i;
        }
        return sum;
    }

    static int testedLast() {
        int i = 0;
        do {
            i++;
        } while (i < 10);
        return i;
    }

    static int triangle() {
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            for (int j = i; j < 4; j++) {
                sum++;
            }
        }
        return sum;
    }

    static int leavesEarly(int n) {
        for (int i = 0; i < 10; i++) {
            if (i == n) {
                break;
            }
            if (n == 77) {
                continue;
            }
            if (n == 78) {
                return i;
            }
        }
        return 0;
    }

    static int masked(int n) {
        int sum = 0;
        for (int i = n & 7; i > 0; i--) {
            sum++;
        }
        return sum;
    }

    static int guarded(int n) {
        if (n > 5) {
            return 0;
        }
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum++;
        }
        return sum;
    }

    static int guardedFromBelow(int n) {
        int sum = 0;
        if (n >= 0) {
            for (int i = n; i < 5; i++) {
                sum++;
            }
        }
        return sum;
    }

    static int toConstantField() {
        int sum = 0;
        for (int i = 0; i < always; i++) {
            sum++;
        }
        return sum;
    }

    static int toByteField() {
        int sum = 0;
        for (int i = 0; i < small; i++) {
            sum++;
        }
        return sum;
    }

    static int overArray() {
        int sum = 0;
        for (int i = 0; i < six.length; i++) {
            sum += six[i];
        }
        return sum;
    }

    /** The test of the loop says nothing, and the index ends it. */
    static int untilIndexTraps() {
        int i = 0;
        while (i < any) {
            table[i] = 1;
            i++;
        }
        return i;
    }

    static int callsInside() {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += up();
        }
        return sum;
    }

    static int parameterOfCalls() {
        return toParameter(4) + toParameter(7);
    }

    private static int toParameter(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum++;
        }
        return sum;
    }

    static int assignedSum() {
        int i = 0;
        while (i < 100) {
            i = i + 40;
        }
        return i;
    }

    static int meetsEnd() {
        int i = 0;
        while (i != 10) {
            i++;
        }
        return i;
    }

    static int postfix() {
        int i = 0;
        while (i++ < 10) {
            any = i;
        }
        return i;
    }

    static int toParameterOfAnyValue(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum++;
        }
        return sum;
    }

    static int fromAnyValue(int n) {
        int sum = 0;
        for (int i = n; i < 10; i++) {
            sum++;
        }
        return sum;
    }

    static int toField() {
        int sum = 0;
        for (int i = 0; i < any; i++) {
            sum++;
        }
        return sum;
    }

    static void byNothing() {
        for (int i = 0; i < 10; i += 0) {
            any++;
        }
    }

    static void stepsOver() {
        for (int i = 0; i != 10; i += 3) {
            any++;
        }
    }

    static void missesEnd(int n) {
        for (int i = n & 15; i != 10; i++) {
            any++;
        }
    }

    static void wrongWay() {
        for (int i = 0; i < 10; i--) {
            any++;
        }
    }

    static void changedElsewhere(int n) {
        for (int i = 0; i < 10; i++) {
            if (any == n) {
                i = n;
            }
            any++;
        }
    }

    static void takenBack() {
        for (int i = 0; i < 10; i++) {
            if (any > 5) {
                i--;
            }
            any++;
        }
    }

    static void wrapsAround() {
        for (int i = 0; i <= Integer.MAX_VALUE; i++) {
            any++;
        }
    }

    static void wrapsInSteps() {
        for (int i = 0; i < Integer.MAX_VALUE - 3; i += 5) {
            any++;
        }
    }

    static void byteWraps() {
        for (byte i = 0; i < 200; i++) {
            any++;
        }
    }

    static void shortWraps() {
        for (short i = 0; i < 40000; i++) {
            any++;
        }
    }

    static void unsignedDown() {
        for (int i = 10; (i & 0xff) >= 0; i--) {
            any++;
        }
    }

    static void steppedSometimes(int n) {
        for (int i = 0; i < 10; ) {
            if (any != n) {
                i++;
            }
            any++;
        }
    }

    static void computedFromCounter() {
        for (int i = 0; i * 2 < 10; i++) {
            any++;
        }
    }

    static void endMoves(int n) {
        for (int i = 0; i < n; i++) {
            n++;
        }
    }

    static void fieldCounts() {
        for (any = 0; any < 10; any++) {
            small++;
        }
    }

    static void forever() {
        while (true) {
            any++;
        }
    }

    static int boundedInEndless() {
        while (any != 3) {
            for (int i = 0; i < 4; i++) {
                any++;
            }
        }
        return any;
    }

    static int endlessInBounded() {
        for (int i = 0; i < 4; i++) {
            while (any != 3) {
                any++;
            }
        }
        return any;
    }

    static int sharedCounter() {
        int i = 0;
        while (i < 10) {
            while (i < 5) {
                i++;
            }
            i++;
        }
        return i;
    }

    static int resetInside() {
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                i = 0;
                sum++;
            }
        }
        return sum;
    }
}
