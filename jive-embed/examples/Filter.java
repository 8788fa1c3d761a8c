/** Accepts packets that begin with `h`, and counts the others. */
class Filter {
    private int dropped;

    /** Returns whether to accept the first `length` bytes of `packet`. */
    boolean accept(byte[] packet, int length) {
        if (length > 0 && packet[0] == 'h') {
            return true;
        }
        dropped++;
        return false;
    }
}
