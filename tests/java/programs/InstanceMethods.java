/** Methods and fields of the instance; private calls compile differently from release 11 on. */
class InstanceMethods {
    private static InstanceMethods self;
    private int total;
    private short count;
    private final int[] history = new int[4];

    InstanceMethods() {
        self = this;
        add(1000);
    }

    static int run(int value) {
        return self.add(value);
    }

    private int add(int value) {
        remember(value);
        this.total += value;
        return total * 10 + average(this);
    }

    private void remember(int value) {
        history[count++ & 3] = value;
    }

    int average(InstanceMethods of) {
        if (of == null || of != this) return -1;
        int sum = 0;
        for (int i = 0; i < 4; i++) sum += of.history[i];
        return sum / 4;
    }

    static InstanceMethods choose(boolean really) {
        return really ? self : null;
    }

    static boolean exists(boolean really) {
        return choose(really) != null;
    }

    static int throughNull(boolean really) {
        return choose(really).total;
    }

    static int callThroughNull(boolean really) {
        return choose(really).average(null);
    }
}
