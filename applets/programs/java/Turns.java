import static via.Via.*;

/**
 * Answers the messages of many {@link Ping}s, each at a VI of its own. It serves its clients in turn,
 * so each has one message under way.
 *
 * <p>The scenario chooses {@link #variant}, {@link #length}, {@link #rounds} and {@link #clients}; the
 * first three are those of the clients. {@code run} returns the number of messages that were answered
 * and count.
 */
public class Turns {
    /** Waiting sends and receives; each message arrives in a new array. */
    static final int COPY_ALLOC = 0;

    /** Waiting sends; messages arrive in posted arrays. */
    static final int COPY = 1;

    /** Sends from where the array lies; messages arrive in posted arrays. */
    static final int PIN = 2;

    /** Buffers outside the heap, sent and received without a copy. */
    static final int BUFFER = 3;

    /** Sends from where the array lies; each message arrives in a new array. */
    static final int PIN_ALLOC = 4;

    /** The tag of connections. */
    static final int TAG = 7;

    /** Receives that are posted at each VI. */
    static final int POSTED = 2;

    /** Which natives exchange the messages. */
    static int variant;

    /** Length of each message in bytes. */
    static int length = 4;

    /** Number of messages of each client that are answered and count. */
    static int rounds = 1;

    /** Number of messages of each client before those that count. */
    static int warm = 1;

    /** Number of clients. */
    static int clients = 1;

    /** Milliseconds to wait for each message, or -1 to wait for ever. */
    static int patience = -1;

    /** The array that has received last. A posted array has its message since the wait, so one array serves all. */
    static byte[] in;

    /** The answer. */
    static byte[] out;

    /** With {@link #BUFFER}: the registration of the answer to each client. */
    static int[] outTickets;

    static int run() {
        out = new byte[length];
        in = new byte[length];
        if (variant == BUFFER) {
            outTickets = new int[clients];
        }
        for (int vi = 0; vi < clients; vi++) {
            prepare(vi);
        }
        for (int vi = 0; vi < clients; vi++) {
            if (accept(vi, TAG, patience) != 0) {
                return -1;
            }
        }
        int good = 0;
        for (int round = 0; round < warm + rounds; round++) {
            for (int vi = 0; vi < clients; vi++) {
                if (!answer(vi, round)) {
                    return good;
                }
                if (round >= warm) {
                    good++;
                }
            }
        }
        return good;
    }

    /** Posts the receives of a VI. */
    static void prepare(int vi) {
        for (int i = 0; i < POSTED; i++) {
            if (variant == BUFFER) {
                recvBufPost(register(alloc(length), vi));
            } else if (variant == COPY || variant == PIN) {
                recvPost(vi, in, 0, length);
            }
        }
        if (variant == BUFFER) {
            outTickets[vi] = register(alloc(length), vi);
        }
    }

    /** Waits for the message of a client, and answers it. */
    static boolean answer(int vi, int round) {
        if (variant == BUFFER) {
            int ticket = recvBufWait(vi, patience);
            if (ticket == -1 || lastStatus(vi) != 0) {
                return false;
            }
            if (round > 0) {
                // The answer of the round before, which the client has received.
                sendBufWait(vi, patience);
            }
            return sendBufPost(outTickets[vi], 0, length, round) == 0 && recvBufPost(ticket) == 0;
        }
        if (variant == COPY_ALLOC || variant == PIN_ALLOC) {
            in = recv(vi, patience);
            return in != null && in.length == length && send(vi, round);
        }
        int ticket = recvWait(vi, patience);
        return ticket != -1 && ticketStatus(ticket) == 0 && send(vi, round)
                && recvPost(vi, in, 0, length) != -1;
    }

    /** Sends the answer. */
    static boolean send(int vi, int round) {
        int status = variant == PIN || variant == PIN_ALLOC
                ? sendPin(vi, out, 0, length, round)
                : via.Via.send(vi, out, 0, length, round);
        return status == 0;
    }
}
