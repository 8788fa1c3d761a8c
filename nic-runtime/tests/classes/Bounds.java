/** Methods whose bounds are worked out on paper in the tests of the command `verify`. */
class Bounds {
    static int n;
    static byte[] kept = new byte[10];

    static int straight(int a) {
        return a + 1;
    }

    static int either(int a) {
        if (a == 0) {
            return 1;
        }
        return a * a * a;
    }

    static int calls(int a) {
        return straight(a) + either(a);
    }

    static int even(int a) {
        return a == 0 ? 1 : odd(a - 1);
    }

    static int odd(int a) {
        return a == 0 ? 0 : even(a - 1);
    }

    static int towardsRecursion() {
        return even(7);
    }

    static int[] constantHeap() {
        short[] five = new short[5];
        return new int[3];
    }

    static byte[] sometimesHeap(int a) {
        return a == 0 ? new byte[1] : null;
    }

    static int[] anyHeap(int a) {
        return new int[a];
    }

    static void heapInLoop() {
        for (int i = 0; i < 3; i++) {
            kept = new byte[1];
        }
    }

    static int up(int m) {
        int s = 0;
        for (int i = 0; i < m; i++) {
            s += i;
        }
        return s;
    }

    static int upToAndWith(int m) {
        int s = 0;
        for (int i = 0; i <= m; i++) {
            s += i;
        }
        return s;
    }

    static int upToAndWithFixed() {
        int s = 0;
        for (int i = 0; i <= 100; i++) {
            s += i;
        }
        return s;
    }

    static int byTwo(int m) {
        int s = 0;
        for (int i = 0; i < m; i += 2) {
            s += i;
        }
        return s;
    }

    static int byTwoFixed() {
        int s = 0;
        for (int i = 0; 100 > i; i += 2) {
            s += i;
        }
        return s;
    }

    static int overArray(byte[] b) {
        int s = 0;
        for (int i = 0; i < b.length; i += 4) {
            s += b[i];
        }
        return s;
    }

    static int down(byte[] b) {
        int s = 0;
        for (int i = b.length - 1; i >= 0; i--) {
            s += b[i];
        }
        return s;
    }

    static int wrongWay(int m) {
        int s = 0;
        for (int i = 0; i < m; i--) {
            s += i;
        }
        return s;
    }

    static int movingBound(int m) {
        for (int i = 0; i < m; i++) {
            m++;
        }
        return m;
    }

    static int steppedTwice(int m) {
        for (int i = 0; i < m; i++) {
            i++;
        }
        return m;
    }

    static int steppedSometimes(int m) {
        for (int i = 0; i < m; ) {
            if (m > 5) {
                i++;
            }
        }
        return m;
    }

    static int assigned(int m) {
        for (int i = 0; i < m; i++) {
            i = n;
        }
        return m;
    }

    static int nested(int m) {
        int s = 0;
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < i; j++) {
                s++;
            }
        }
        return s;
    }

    static void endlessInside(int m) {
        for (int i = 0; i < m; i++) {
            while (n != 0) {
                kept[0]++;
            }
        }
    }

    static void fieldAsBound() {
        for (int i = 0; i < n; i++) {
            kept[0]++;
        }
    }

    static void fieldSetInside() {
        for (int i = 0; i < n; i++) {
            n++;
        }
    }

    static void fieldAndCall() {
        for (int i = 0; i < n; i++) {
            straight(i);
        }
    }

    static int testedLast(int m) {
        int i = 0;
        do {
            i++;
        } while (i < m);
        return i;
    }
}
