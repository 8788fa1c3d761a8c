/** RC4 with a key of bytes; run(0, 9) is over the key "Key" and the text "Plaintext". */
class Rc4 {
    static final byte[] KEY = {'K', 'e', 'y'};
    static final byte[] TEXT = {'P', 'l', 'a', 'i', 'n', 't', 'e', 'x', 't'};

    static int run(int seed, int length) {
        byte[] s = new byte[256];
        for (int i = 0; i < 256; i++) s[i] = (byte) i;
        int j = 0;
        for (int i = 0; i < 256; i++) {
            int key = seed == 0 ? KEY[i % 3] : seed >>> 8 * (i & 3);
            j = j + s[i] + key & 0xff;
            byte held = s[i];
            s[i] = s[j];
            s[j] = held;
        }
        int a = 0;
        int b = 0;
        int hash = 0;
        for (int n = 0; n < length; n++) {
            a = a + 1 & 0xff;
            b = b + s[a] & 0xff;
            byte held = s[a];
            s[a] = s[b];
            s[b] = held;
            int text = seed == 0 ? TEXT[n] : n;
            hash = hash << 8 | hash >>> 24 ^ (text ^ s[s[a] + s[b] & 0xff]) & 0xff;
        }
        return hash;
    }
}
