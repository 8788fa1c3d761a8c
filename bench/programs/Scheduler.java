/** A scheduler's queue of deadlines, a binary heap in the object's fields: jobs are added, run and put back. */
class Scheduler {
    static Scheduler self;

    private final int[] deadlines = new int[128];
    private int size;
    private int now;
    private int late;
    private int random;

    Scheduler() {
        self = this;
    }

    static int init(int a, int b) {
        self.reset();
        return 0;
    }

    static int run(int a, int b) {
        return self.simulate(a, b);
    }

    private void reset() {
        size = 0;
        now = 0;
        late = 0;
        random = 11;
        for (int i = 0; i < 64; i++) {
            add(draw() & 0x3ff);
        }
    }

    private int simulate(int seed, int jobs) {
        random ^= seed;
        int waited = 0;
        for (int i = 0; i < jobs; i++) {
            int deadline = removeFirst();
            if (deadline < now) {
                late++;
                now += 3;
            } else {
                waited += deadline - now;
                now = deadline;
            }
            add(now + 1 + (draw() & 0x3ff));
        }
        if (now > 1000000) {
            reset();
        }
        return waited * 31 + late;
    }

    private int draw() {
        random ^= random << 13;
        random ^= random >>> 17;
        random ^= random << 5;
        return random >>> 3;
    }

    private void add(int deadline) {
        int at = size++;
        while (at > 0 && deadlines[(at - 1) / 2] > deadline) {
            deadlines[at] = deadlines[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        deadlines[at] = deadline;
    }

    private int removeFirst() {
        int first = deadlines[0];
        int moved = deadlines[--size];
        int at = 0;
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && deadlines[child + 1] < deadlines[child]) {
                child++;
            }
            if (moved <= deadlines[child]) {
                break;
            }
            deadlines[at] = deadlines[child];
            at = child;
        }
        deadlines[at] = moved;
        return first;
    }
}
