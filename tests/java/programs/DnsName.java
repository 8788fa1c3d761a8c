/** Names of labels, some of which point back to earlier ones, as DNS compresses them. */
class DnsName {
    static final int LABEL_MAX = 63, NAME_MAX = 255;
    static final byte[] message = new byte[512];
    static final byte[] name = new byte[NAME_MAX];
    static final short[] starts = new short[64];

    /** Writes names, each an own label and a pointer to one before, and reads all of them. */
    static int run(int seed, int names) {
        int length = 12;
        int hash = seed;
        for (int i = 0; i < names; i++) {
            starts[i] = (short) length;
            int letters = 1 + (seed >>> i & 7);
            message[length++] = (byte) letters;
            for (int j = 0; j < letters; j++) message[length++] = (byte) ((i & 1) == 0 ? 'a' + j : 'N' - j);
            if (i == 0) {
                message[length++] = 0;
            } else {
                int pointer = 0xc000 | starts[(seed >>> i & 0xff) % i];
                message[length++] = (byte) (pointer >> 8);
                message[length++] = (byte) pointer;
            }
        }
        for (int i = 0; i < names; i++) {
            int read = read(starts[i], length);
            for (int j = 0; j < read; j++) hash = hash * 31 + name[j];
        }
        return hash;
    }

    /** Reads the name at an offset in lower case; returns its length, or -1 for what is none. */
    static int read(int at, int length) {
        int out = 0;
        int jumps = 0;
        while (true) {
            if (at >= length) return -1;
            int size = message[at] & 0xff;
            if (size == 0) return out;
            if ((size & 0xc0) == 0xc0) {
                if (++jumps > 16 || at + 1 >= length) return -1;
                at = (size & 0x3f) << 8 | message[at + 1] & 0xff;
                continue;
            }
            if (size > LABEL_MAX || at + size >= length || out + size >= NAME_MAX) return -1;
            at++;
            for (int end = at + size; at < end; at++) {
                int letter = message[at];
                if (letter >= 'A' && letter <= 'Z') letter += 'a' - 'A';
                name[out++] = (byte) letter;
            }
            name[out++] = '.';
        }
    }

    /** A name that points to itself. */
    static int loop() {
        message[0] = (byte) 0xc0;
        message[1] = 0;
        return read(0, 2);
    }
}
