import static via.Via.*;

/**
 * Receives the messages of {@link Source}, gives credits back, and measures the time of the stream.
 *
 * <p>The scenario chooses {@link #variant}, {@link #length}, {@link #count} and {@link #credits}, the
 * same for both ends. {@code run} returns the number of good messages.
 */
public class Drain {
    /** Each message arrives in a new array; waiting sends. */
    static final int COPY_ALLOC = 0;

    /** Messages arrive in a posted array; waiting sends. */
    static final int COPY = 1;

    /** Messages arrive in a posted array; sends from where the array lies. */
    static final int PIN = 2;

    /** Buffers outside the heap, sent and received without a copy. */
    static final int BUFFER = 3;

    /** Each message arrives in a new array; sends from where the array lies. */
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

    /** Milliseconds to wait for each message, or -1 to wait for ever. */
    static int patience = -1;

    /** Microseconds from the first message to the last. */
    static int micros;

    /** The message that has arrived. A posted array has it since the wait, so one array serves all posts. */
    static byte[] in;

    /** The message with credits. */
    static byte[] credit;

    /** With {@link #BUFFER}: the buffers that receive in turn, and their registrations. */
    static int[] buffers, tickets;

    /** With {@link #BUFFER}: the registration of the message with credits, and whether it is under way. */
    static int creditTicket;
    static boolean isCreditUnderWay;

    static int run() {
        prepare();
        if (accept(0, TAG, patience) != 0) {
            return -1;
        }
        int good = 0;
        int begun = 0;
        for (int number = 0; number < count; number++) {
            if (!receive(number)) {
                break;
            }
            if (number == 0) {
                begun = now();
            }
            if (!check || isMessage(number)) {
                good++;
            }
            if (!post(number) || (number + 1) % (credits / 2) == 0 && !giveCredit(number)) {
                break;
            }
        }
        micros = now() - begun;
        disconnect(0);
        return good;
    }

    /** Makes the arrays or buffers, and posts as many as there are credits. */
    static void prepare() {
        if (variant == BUFFER) {
            buffers = new int[credits];
            tickets = new int[credits];
            for (int i = 0; i < credits; i++) {
                buffers[i] = alloc(length);
                tickets[i] = register(buffers[i], 0);
                recvBufPost(tickets[i]);
            }
            creditTicket = register(alloc(CREDIT_LENGTH), 0);
            return;
        }
        credit = new byte[CREDIT_LENGTH];
        if (variant == COPY || variant == PIN) {
            in = new byte[length];
            for (int i = 0; i < credits; i++) {
                recvPost(0, in, 0, length);
            }
        }
    }

    /** Waits for the message with this number. If it is checked, it is then in {@link #in}. */
    static boolean receive(int number) {
        if (variant == COPY_ALLOC || variant == PIN_ALLOC) {
            in = recv(0, patience);
            return in != null && in.length == length;
        }
        if (variant == BUFFER) {
            int turn = number % credits;
            if (recvBufWait(0, patience) != tickets[turn] || lastStatus(0) != 0) {
                return false;
            }
            if (check) {
                in = toByteArray(buffers[turn]);
            }
            return true;
        }
        int ticket = recvWait(0, patience);
        return ticket != -1 && ticketStatus(ticket) == 0 && ticketLength(ticket) == length;
    }

    /** Posts again what has received the message with this number. */
    static boolean post(int number) {
        if (variant == COPY_ALLOC || variant == PIN_ALLOC) {
            return true;
        }
        if (variant == BUFFER) {
            return recvBufPost(tickets[number % credits]) == 0;
        }
        return recvPost(0, in, 0, length) != -1;
    }

    /** Gives half of the credits back. */
    static boolean giveCredit(int number) {
        if (variant == BUFFER) {
            if (isCreditUnderWay) {
                sendBufWait(0, patience);
            }
            isCreditUnderWay = true;
            return sendBufPost(creditTicket, 0, CREDIT_LENGTH, number) == 0;
        }
        if (variant == PIN || variant == PIN_ALLOC) {
            return sendPin(0, credit, 0, CREDIT_LENGTH, number) == 0;
        }
        return send(0, credit, 0, CREDIT_LENGTH, number) == 0;
    }

    /** Returns whether {@link #in} is the message with this number, with this number as its tag. */
    static boolean isMessage(int number) {
        if (lastTag(0) != number) {
            return false;
        }
        for (int i = 0; i < 4; i++) {
            if (in[i] != (byte) (number >> (8 * i))) {
                return false;
            }
        }
        for (int i = 4; i < length; i++) {
            if (in[i] != (byte) (number + 7 * i)) {
                return false;
            }
        }
        return true;
    }
}
