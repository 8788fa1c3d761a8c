/** Labelled breaks and continues, loops of every form. */
class Labels {
    static int run(int limit) {
        int hash = 0;
        outer:
        for (int i = 0; ; i++) {
            int j = 0;
            do {
                if (i * j > limit) break outer;
                if ((i ^ j) % 5 == 4) continue outer;
                inner: {
                    if ((j & 1) == 0) break inner;
                    hash += i;
                }
                hash = hash * 3 + j;
            } while (++j < 20);
        }
        while (hash > 1000000) hash >>= 1;
        return hash;
    }
}
