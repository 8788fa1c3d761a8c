/** Accepts packets that are long enough and begin with a letter; reports the others. */
class Filter {
    static int dropped;

    /** Reports a packet that is not accepted. The embedding program performs it. */
    static native int report(byte[] packet, int length);

    static boolean accept(byte[] packet, int length) {
        if (length < 2 || packet[0] < 'a' || packet[0] > 'z') {
            dropped++;
            report(packet, length);
            return false;
        }
        int sum = 0;
        for (int i = 0; i < length; i++) {
            sum += packet[i];
        }
        return sum > 0;
    }
}
