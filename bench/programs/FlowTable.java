/** A table of flows, hashed with open addressing: found, added, and aged out when it fills. */
class FlowTable {
    static int[] keys;
    static short[] counts;
    static int used;

    static int init(int a, int b) {
        keys = new int[256];
        counts = new short[256];
        used = 0;
        return 0;
    }

    static int run(int a, int b) {
        int result = 0;
        int random = a;
        for (int i = 0; i < b; i++) {
            random = random * 69069 + 5;
            int source = random >>> 24 & 0x3f;
            int port = random >>> 16 & 3;
            int slot = find(source << 8 | port | 0x10000);
            result = result * 17 + ++counts[slot];
        }
        return result + used;
    }

    private static int find(int key) {
        int slot = (key * 0x9E3779B1) >>> 24;
        while (keys[slot] != key) {
            if (keys[slot] == 0) {
                if (used == 192) {
                    clear();
                }
                keys[slot] = key;
                used++;
                return slot;
            }
            slot = slot + 1 & 255;
        }
        return slot;
    }

    private static void clear() {
        for (int i = 0; i < keys.length; i++) {
            keys[i] = 0;
            counts[i] = 0;
        }
        used = 0;
    }
}
