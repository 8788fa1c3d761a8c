/** A table of flows by open addressing: packets and bytes by key, idle flows swept out. */
class FlowTable {
    static final int SLOTS = 64, PROBES = 8, IDLE = 40;
    static final int[] sources = new int[SLOTS];
    static final int[] ports = new int[SLOTS];
    static final int[] packets = new int[SLOTS];
    static final int[] bytes = new int[SLOTS];
    static final int[] seen = new int[SLOTS];
    static int refused;

    static int run(int seed, int count) {
        refused = 0;
        for (int slot = 0; slot < SLOTS; slot++) packets[slot] = 0;
        int random = seed;
        for (int now = 1; now <= count; now++) {
            random ^= random << 13;
            random ^= random >>> 17;
            random ^= random << 5;
            int source = random & 0xf;
            int port = (random >>> 8 & 3) << 16 | random >>> 12 & 7;
            int slot = find(source, port, now);
            if (slot < 0) {
                refused++;
            } else {
                packets[slot]++;
                bytes[slot] += 64 + (random >>> 20);
                seen[slot] = now;
            }
            if (now % 50 == 0) sweep(now);
        }
        int hash = refused;
        for (int slot = 0; slot < SLOTS; slot++) hash = hash * 31 + packets[slot] + bytes[slot];
        return hash;
    }

    static int find(int source, int port, int now) {
        int slot = hash(source, port);
        int free = -1;
        for (int probe = 0; probe < PROBES; probe++) {
            if (packets[slot] == 0) {
                if (free < 0) free = slot;
            } else if (sources[slot] == source && ports[slot] == port) {
                return slot;
            }
            slot = slot + 1 & SLOTS - 1;
        }
        if (free >= 0) {
            sources[free] = source;
            ports[free] = port;
            bytes[free] = 0;
        }
        return free;
    }

    static void sweep(int now) {
        for (int slot = 0; slot < SLOTS; slot++) {
            if (packets[slot] != 0 && now - seen[slot] > IDLE) packets[slot] = 0;
        }
    }

    static int hash(int source, int port) {
        int mixed = source * 0x9e3779b1 ^ port;
        mixed ^= mixed >>> 15;
        return mixed * 0x85ebca6b >>> 26;
    }
}
