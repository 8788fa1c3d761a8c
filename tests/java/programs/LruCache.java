/** A cache of few places in which the entry that was used longest ago gives way. */
class LruCache {
    static final int PLACES = 8;
    int[] keys = new int[PLACES];
    int[] values = new int[PLACES];
    byte[] before = new byte[PLACES];
    byte[] behind = new byte[PLACES];
    int newest = -1;
    int oldest = -1;
    int used;
    int hits;

    static LruCache cache;

    LruCache() {
        cache = this;
    }

    static int run(int seed, int count) {
        LruCache lru = cache;
        lru.clear();
        int random = seed;
        int sum = 0;
        for (int i = 0; i < count; i++) {
            random = random * 1664525 + 1013904223;
            int key = (random >>> 24) * (random >>> 28) >> 8;
            sum += lru.get(key);
        }
        return lru.hits * 10000 + (sum & 0xfff);
    }

    void clear() {
        newest = oldest = -1;
        used = hits = 0;
    }

    int get(int key) {
        int place = find(key);
        if (place >= 0) {
            hits++;
            unlink(place);
        } else {
            place = used < PLACES ? used++ : evict();
            keys[place] = key;
            values[place] = key * key + 1;
        }
        pushFront(place);
        return values[place];
    }

    private int find(int key) {
        for (int place = newest; place >= 0; place = behind[place]) {
            if (keys[place] == key) return place;
        }
        return -1;
    }

    private int evict() {
        int place = oldest;
        unlink(place);
        return place;
    }

    private void unlink(int place) {
        int left = before[place];
        int right = behind[place];
        if (left < 0) newest = right;
        else behind[left] = (byte) right;
        if (right < 0) oldest = left;
        else before[right] = (byte) left;
    }

    private void pushFront(int place) {
        before[place] = -1;
        behind[place] = (byte) newest;
        if (newest < 0) oldest = place;
        else before[newest] = (byte) place;
        newest = place;
    }
}
