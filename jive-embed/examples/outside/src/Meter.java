/** Counts packets by their first byte, and reports each hundredth to the embedding program. */
class Meter {
    static int seen = 7;
    static short[] byKind = new short[4];

    /** Reports that this many packets were seen. The embedding program performs it. */
    static native void report(int seen);

    /** Counts a packet. Returns how many of its kind were seen. */
    static int count(byte[] packet, int length) {
        int kind = 0;
        for (int i = 0; i < length; i++) {
            kind += packet[i];
        }
        seen++;
        if (seen % 100 == 0) {
            report(seen);
        }
        byKind[kind & 3]++;
        return byKind[kind & 3];
    }
}
