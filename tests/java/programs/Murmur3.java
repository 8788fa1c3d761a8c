/** MurmurHash3 of 32 bits over bytes, words of four and a rest. */
class Murmur3 {
    static final byte[] data = new byte[256];

    static int run(int seed, int length) {
        for (int i = 0; i < length; i++) data[i] = (byte) (i * 37 + seed);
        return hash(length, seed);
    }

    static int hash(int length, int seed) {
        int hash = seed;
        int end = length & ~3;
        for (int i = 0; i < end; i += 4) {
            int word = data[i] & 0xff | (data[i + 1] & 0xff) << 8 | (data[i + 2] & 0xff) << 16 | data[i + 3] << 24;
            hash ^= mixed(word);
            hash = (hash << 13 | hash >>> 19) * 5 + 0xe6546b64;
        }
        int rest = 0;
        switch (length & 3) {
            case 3:
                rest ^= (data[end + 2] & 0xff) << 16;
            case 2:
                rest ^= (data[end + 1] & 0xff) << 8;
            case 1:
                rest ^= data[end] & 0xff;
                hash ^= mixed(rest);
        }
        hash ^= length;
        hash ^= hash >>> 16;
        hash *= 0x85ebca6b;
        hash ^= hash >>> 13;
        hash *= 0xc2b2ae35;
        return hash ^ hash >>> 16;
    }

    static int mixed(int word) {
        word *= 0xcc9e2d51;
        word = word << 15 | word >>> 17;
        return word * 0x1b873593;
    }
}
