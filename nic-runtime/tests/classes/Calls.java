/** Static methods for `jive exec`: state, traps, and each type of parameter. */
public class Calls {
    static int count;
    static byte[] table = new byte[4];

    static int divide(int a, int b) {
        return a / b;
    }

    static void nothing() {
    }

    static int add(byte by) {
        count += by;
        return count;
    }

    static int types(boolean z, byte b, short s, int i) {
        return (z ? 1000 : 0) + b + s + i;
    }

    static int spin() {
        while (true) {
            count++;
        }
    }

    static int depth(int n) {
        return n == 0 ? 0 : 1 + depth(n - 1);
    }

    static byte[] array(int length) {
        return length < 0 ? null : new byte[length];
    }

    static int keep(int length) {
        table = new byte[length];
        return table.length;
    }

    static int send(int channel) {
        unet.Nic.txPush(table, 0, channel, 1);
        return 0;
    }

    int instance() {
        return 1;
    }

    static int sum(int[] values) {
        return values.length;
    }
}
