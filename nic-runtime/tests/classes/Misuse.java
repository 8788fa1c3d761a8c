import static via.Via.*;

/** Does one thing that a program may not do, or that is allowed and looks as if it were not. */
public class Misuse {
    static int what;

    /** How often {@code unreferenced} was called, and the numbers that it got, in decimal digits. */
    static int calls, numbers;

    static byte[] kept;

    static int run() {
        int buffer = what >= 20 ? alloc(64) : -7;
        switch (what) {
            case 0:
                return lastTag(1);
            case 1:
                return lastTag(-1);
            case 2:
                free(buffer);
                return 0;
            case 3:
                return send(0, null, 0, 0, 0);
            case 4:
                return send(0, new byte[4], 2, 3, 0);
            case 5:
                return sendInts(0, new int[4], -1, 1, 0);
            case 6:
                return recvPost(0, new byte[4], 1, Integer.MAX_VALUE);
            case 7:
                return alloc(1 << 20);
            case 8:
                return alloc(-1);
            case 9:
                return new byte[1 << 20].length;
            case 10:
                for (;;) {
                }
            case 11:
                return deep(0);
            case 12:
                return ticketLength(3);
            case 13:
                deregister(1);
                return 0;
            case 20:
                register(buffer, 0);
                free(buffer);
                return 0;
            case 21:
                register(buffer, 0);
                return register(buffer, 0);
            case 22:
                toByteArray(buffer);
                free(buffer);
                return 0;
            case 23: {
                int ticket = register(buffer, 0);
                toByteArray(buffer);
                unRef(buffer, 1);
                return sendBufPost(ticket, 0, 4, 0);
            }
            case 24:
                return toIntArray(alloc(6)).length;
            case 25:
                toByteArray(buffer);
                return toShortArray(buffer).length;
            case 26:
                free(buffer);
                free(buffer);
                return 0;
            case 27: {
                int ticket = register(buffer, 0);
                recvBufPost(ticket);
                deregister(ticket);
                return 0;
            }
            case 28:
                unRef(buffer, 1);
                return 0;
            case 29:
                toByteArray(buffer);
                unRef(buffer, 1);
                unRef(buffer, 2);
                return 0;
            case 30: {
                int ticket = register(buffer, 0);
                return sendBufPost(ticket, 60, 5, 0);
            }
            case 31:
                toByteArray(buffer);
                unRef(buffer, 31);
                collect();
                return 0;
            case 40:
                return keep(buffer);
            case 41:
                return manyCalls();
            case 42: {
                // Allowed: a descriptor is under way.
                int ticket = register(buffer, 0);
                toByteArray(buffer);
                recvBufPost(ticket);
                unRef(buffer, 5);
                collect();
                return numbers;
            }
            case 43: {
                // The second program of the ring finds it full.
                int posted = 0;
                while (recvPost(0, new byte[8], 0, 8) != -1) {
                    posted++;
                }
                return posted;
            }
            case 44:
                return waits();
            case 45:
                return garbage();
            default:
                return -1;
        }
    }

    static int deep(int depth) {
        return deep(depth + 1) + 1;
    }

    /** An array that is kept over {@code unRef} and a collection is in the heap, with its bytes. */
    static int keep(int buffer) {
        kept = toByteArray(buffer);
        for (int i = 0; i < kept.length; i++) {
            kept[i] = (byte) (3 * i);
        }
        unRef(buffer, 1);
        byte[] local = kept;
        collect();
        int[] next = toIntArray(buffer);
        for (int i = 0; i < next.length; i++) {
            next[i] = -1;
        }
        int good = 0;
        for (int i = 0; i < local.length; i++) {
            if (local[i] == (byte) (3 * i) && kept == local) {
                good++;
            }
        }
        return good;
    }

    /** Calls of {@code unreferenced} come in the order of {@code unRef}; {@code collect} in one queues more. */
    static int manyCalls() {
        int first = alloc(16);
        int second = alloc(16);
        int third = alloc(16);
        toByteArray(first);
        toByteArray(second);
        toByteArray(third);
        unRef(second, 2);
        unRef(first, 1);
        collect();
        return numbers;
    }

    static int unreferenced(int buffer, int number) {
        calls++;
        numbers = numbers * 10 + number;
        if (number == 31) {
            pause(1);
        }
        if (number == 2) {
            toByteArray(buffer);
            unRef(buffer, 3);
            collect();
        }
        byte[] garbage = new byte[64];
        return garbage.length;
    }

    /** Waits that end in time: nothing is connected. */
    static int waits() {
        int begun = now();
        int none = connect(0, 5, 3);
        if (recv(0, 2) != null || sendWait(0, 1) != -1 || recvBufWait(0, 1) != -1) {
            return -1;
        }
        pause(1000);
        return none == -1 ? now() - begun : -1;
    }

    /** Makes much more than fits in the heap, and keeps a little. */
    static int garbage() {
        int[] sum = new int[1];
        short[] mine = {1, 2, 3};
        for (int i = 0; i < 2000; i++) {
            byte[] made = new byte[1000];
            made[i % 1000] = 1;
            sum[0] += made[i % 1000] + deepSum(mine, new byte[10], 3);
        }
        return sum[0];
    }

    static int deepSum(short[] mine, byte[] other, int depth) {
        return depth == 0 ? mine[0] + other.length : mine[depth - 1] + deepSum(mine, new byte[other.length], depth - 1);
    }
}
