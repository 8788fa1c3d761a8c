/** A receiver that puts packets back in order: a window of sequence numbers that wrap, kept as a bitmap. */
class ReorderWindow {
    static final int WINDOW = 64, MASK = 0xffff;
    static final int[] bitmap = new int[WINDOW / 32];
    static final short[] payload = new short[WINDOW];
    static short expected;
    static int delivered;
    static int duplicates;
    static int outside;
    static int hash;

    static int run(int seed, int packets) {
        expected = (short) seed;
        delivered = duplicates = outside = hash = 0;
        bitmap[0] = bitmap[1] = 0;
        int random = seed;
        int sent = seed & MASK;
        for (int i = 0; i < packets; i++) {
            random = random * 22695477 + 1;
            int jitter = random >>> 16 & 7;
            arrive(sent + jitter & MASK, random >>> 20);
            if (jitter < 4) sent = sent + 1 & MASK;
            if ((random >>> 24 & 31) == 0) arrive(expected & MASK, i);
        }
        return hash * 31 + delivered * 7 + duplicates * 5 + outside;
    }

    static void arrive(int sequence, int data) {
        int ahead = sequence - expected & MASK;
        if (ahead >= WINDOW) {
            outside++;
            return;
        }
        int place = sequence & WINDOW - 1;
        if (isSet(place)) {
            duplicates++;
            return;
        }
        bitmap[place >> 5] |= 1 << (place & 31);
        payload[place] = (short) data;
        while (isSet(expected & WINDOW - 1)) deliver();
    }

    static boolean isSet(int place) {
        return (bitmap[place >> 5] & 1 << (place & 31)) != 0;
    }

    static void deliver() {
        int place = expected & WINDOW - 1;
        bitmap[place >> 5] &= ~(1 << (place & 31));
        hash = hash * 31 + payload[place];
        delivered++;
        expected++;
    }
}
