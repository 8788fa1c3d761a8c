import static via.Via.*;

/**
 * Sends messages to {@link Drain} as fast as it may: it has credits, each message takes one, and
 * {@link Drain} gives them back in halves. Without them a stream would overrun the receiver, which
 * ends a reliable connection.
 *
 * <p>The scenario chooses {@link #variant}, {@link #length}, {@link #count} and {@link #credits}, the
 * same for both ends. {@code run} returns the number of messages that were sent.
 */
public class Source {
    /** Waiting sends; credits arrive in new arrays. */
    static final int COPY_ALLOC = 0;

    /** Waiting sends; credits arrive in posted arrays. */
    static final int COPY = 1;

    /** Sends from where the array lies; credits arrive in posted arrays. */
    static final int PIN = 2;

    /** Buffers outside the heap, sent and received without a copy. */
    static final int BUFFER = 3;

    /** Sends from where the array lies; credits arrive in new arrays. */
    static final int PIN_ALLOC = 4;

    /** The tag of connections. */
    static final int TAG = 7;

    /** Length of a message with credits, in bytes. */
    static final int CREDIT_LENGTH = 4;

    /** Which natives exchange the messages. */
    static int variant;

    /** Length of each message in bytes, at least 4. */
    static int length = 4;

    /** Number of messages. */
    static int count = 1;

    /** Most messages that are not yet credited: an even number, no longer than the queues. */
    static int credits = 8;

    /** Whether payloads are written and checked. */
    static boolean check;

    /** Milliseconds to wait for credits, or -1 to wait for ever. */
    static int patience = -1;

    /** The array that is sent, or that of the buffer that is sent next. */
    static byte[] out;

    /** Where credits arrive. Their bytes do not matter. */
    static byte[] credit;

    /** With {@link #BUFFER}: the buffers to send in turn, and their registrations. */
    static int[] buffers, tickets;

    static int run() {
        prepare();
        if (connect(0, TAG, patience) != 0) {
            return -1;
        }
        int left = credits;
        int credited = 0;
        int sent = 0;
        while (sent < count) {
            if (left == 0) {
                if (!awaitCredit()) {
                    return sent;
                }
                credited += credits / 2;
                left = credits / 2;
            }
            if (!send(sent)) {
                return sent;
            }
            left--;
            sent++;
        }
        while (credited + credits / 2 <= count) {
            if (!awaitCredit()) {
                return sent;
            }
            credited += credits / 2;
        }
        return sent;
    }

    /** Makes the arrays or buffers, and posts those for credits. */
    static void prepare() {
        if (variant == BUFFER) {
            buffers = new int[credits];
            tickets = new int[credits];
            for (int i = 0; i < credits; i++) {
                buffers[i] = alloc(length);
                tickets[i] = register(buffers[i], 0);
            }
            recvBufPost(register(alloc(CREDIT_LENGTH), 0));
            recvBufPost(register(alloc(CREDIT_LENGTH), 0));
            return;
        }
        out = new byte[length];
        if (variant == COPY || variant == PIN) {
            credit = new byte[CREDIT_LENGTH];
            recvPost(0, credit, 0, CREDIT_LENGTH);
            recvPost(0, credit, 0, CREDIT_LENGTH);
        }
    }

    /** Waits for half of the credits. */
    static boolean awaitCredit() {
        if (variant == COPY_ALLOC || variant == PIN_ALLOC) {
            return recv(0, patience) != null;
        }
        if (variant == BUFFER) {
            int ticket = recvBufWait(0, patience);
            return ticket != -1 && lastStatus(0) == 0 && recvBufPost(ticket) == 0;
        }
        int ticket = recvWait(0, patience);
        return ticket != -1 && ticketStatus(ticket) == 0
                && recvPost(0, credit, 0, CREDIT_LENGTH) != -1;
    }

    /** Sends the message with this number. */
    static boolean send(int number) {
        if (variant == BUFFER) {
            int turn = number % credits;
            if (number >= credits) {
                // The message that this buffer had before.
                sendBufWait(0, patience);
                if (lastStatus(0) != 0) {
                    return false;
                }
            }
            if (check) {
                out = toByteArray(buffers[turn]);
                fill(number);
            }
            return sendBufPost(tickets[turn], 0, length, number) == 0;
        }
        if (check) {
            fill(number);
        }
        if (variant == PIN || variant == PIN_ALLOC) {
            return sendPin(0, out, 0, length, number) == 0;
        }
        return via.Via.send(0, out, 0, length, number) == 0;
    }

    /** Writes a message into {@link #out}: its number, then bytes that follow from it. */
    static void fill(int number) {
        for (int i = 0; i < 4; i++) {
            out[i] = (byte) (number >> (8 * i));
        }
        for (int i = 4; i < length; i++) {
            out[i] = (byte) (number + 7 * i);
        }
    }
}
