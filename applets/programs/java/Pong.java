import static via.Via.*;

/**
 * Answers the messages of {@link Ping}.
 *
 * <p>The scenario chooses {@link #variant}, {@link #length} and the number of rounds, the same for
 * both ends. {@code run} returns the number of rounds whose message was good.
 */
public class Pong {
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

    /** Which natives exchange the messages. */
    static int variant;

    /** Length of each message in bytes, at least 4. */
    static int length = 4;

    /** Number of messages that are answered and count. */
    static int rounds = 1;

    /** Number of messages before those that count. */
    static int warm = 1;

    /** Whether payloads are written and checked. Without it a message only has to arrive. */
    static boolean check;

    /** Milliseconds to wait for each message, or -1 to wait for ever. */
    static int patience = -1;

    /** The array to send next. */
    static byte[] out;

    /** With {@link #BUFFER}: the array to send after {@link #out}. Its message may still be under way. */
    static byte[] outNext;

    /** The array that has received, or will do so next. */
    static byte[] in;

    /** The array that receives after {@link #in}. */
    static byte[] inNext;

    /** With {@link #BUFFER}: the registrations of the four arrays, in the same order. */
    static int outTicket, outNextTicket, inTicket, inNextTicket;

    static int run() {
        if (variant == BUFFER) {
            takeBuffers();
        } else {
            out = new byte[length];
            in = new byte[length];
            inNext = new byte[length];
        }
        if (variant != COPY_ALLOC && variant != PIN_ALLOC) {
            post();
            post();
        }
        if (accept(0, TAG, patience) != 0) {
            return -1;
        }
        int good = 0;
        for (int round = 0; round < warm + rounds; round++) {
            if (!receiveIn()) {
                break;
            }
            boolean isGood = !check || isMessage(in, round);
            if (check) {
                invert(in, out);
            }
            if (!sendOut(round)) {
                break;
            }
            if (isGood && round >= warm) {
                good++;
            }
        }
        // The last answer may still be on its way: the peer ends the connection when it has come.
        if (variant == BUFFER) {
            sendBufWait(0, patience);
        }
        return good;
    }

    /** Makes the four buffers with their arrays. */
    static void takeBuffers() {
        int first = alloc(length);
        int second = alloc(length);
        int third = alloc(length);
        int fourth = alloc(length);
        out = toByteArray(first);
        outNext = toByteArray(second);
        in = toByteArray(third);
        inNext = toByteArray(fourth);
        outTicket = register(first, 0);
        outNextTicket = register(second, 0);
        inTicket = register(third, 0);
        inNextTicket = register(fourth, 0);
    }

    /** Posts {@link #in} for a message, and makes the other array the next. */
    static void post() {
        if (variant == BUFFER) {
            recvBufPost(inTicket);
        } else {
            recvPost(0, in, 0, length);
        }
        turn();
    }

    /** Exchanges {@link #in} and {@link #inNext}. */
    static void turn() {
        byte[] array = in;
        in = inNext;
        inNext = array;
        int ticket = inTicket;
        inTicket = inNextTicket;
        inNextTicket = ticket;
    }

    /**
     * Sends {@link #out}. What prepares the next round comes after the send, while the answer is
     * under way.
     */
    static boolean sendOut(int round) {
        if (variant == BUFFER) {
            if (sendBufPost(outTicket, 0, length, round) != 0) {
                return false;
            }
            byte[] array = out;
            out = outNext;
            outNext = array;
            int ticket = outTicket;
            outTicket = outNextTicket;
            outNextTicket = ticket;
            if (round > 0) {
                // The message of the round before: its array is sent next.
                sendBufWait(0, patience);
                if (lastStatus(0) != 0) {
                    return false;
                }
            }
        } else {
            int status = variant == COPY_ALLOC || variant == COPY
                    ? send(0, out, 0, length, round)
                    : sendPin(0, out, 0, length, round);
            if (status != 0) {
                return false;
            }
        }
        if (variant != COPY_ALLOC && variant != PIN_ALLOC) {
            // The array that was answered; the next one is posted already.
            post();
        }
        return true;
    }

    /** Waits for a message, which is then in {@link #in}. */
    static boolean receiveIn() {
        if (variant == COPY_ALLOC || variant == PIN_ALLOC) {
            in = recv(0, patience);
            return in != null && in.length == length;
        }
        if (variant == BUFFER) {
            return recvBufWait(0, patience) == inTicket && lastStatus(0) == 0;
        }
        int ticket = recvWait(0, patience);
        return ticket != -1 && ticketStatus(ticket) == 0 && ticketLength(ticket) == length;
    }

    /** Writes the answer to a message: every byte inverted. */
    static void invert(byte[] message, byte[] answer) {
        for (int i = 0; i < length; i++) {
            answer[i] = (byte) ~message[i];
        }
    }

    /** Returns whether a message is {@link Ping}'s of a round: its number, then bytes that follow from it. */
    static boolean isMessage(byte[] message, int round) {
        for (int i = 0; i < 4; i++) {
            if (message[i] != (byte) (round >> (8 * i))) {
                return false;
            }
        }
        for (int i = 4; i < length; i++) {
            if (message[i] != (byte) (round + 7 * i)) {
                return false;
            }
        }
        return true;
    }
}
