/** A token bucket as an applet might keep one: the state lasts between calls. */
class TokenBucket {
    static final short BURST = 1000;
    static short tokens = BURST;
    static int last;

    static boolean allow(int now, int length) {
        int earned = (now - last) * 3 / 2;
        last = now;
        int level = tokens + earned;
        tokens = level > BURST ? BURST : (short) level;
        if (length > tokens) return false;
        tokens -= length;
        return true;
    }
}
