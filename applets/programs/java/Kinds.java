import static via.Via.*;

/**
 * Exchanges parts of {@code short[]} and {@code int[]} by each set of natives: on VI 0 from arrays of
 * the heap, on VI 1 from buffers. The end with {@link #serves} sends back what it receives, with
 * each element inverted. {@code run} returns the number of good rounds, which is {@link #ROUNDS}.
 */
public class Kinds {
    /** The tag of connections. */
    static final int TAG = 7;

    /** Length of each array in elements. The first and the last element are not sent. */
    static final int LENGTH = 12;

    /** Length of each buffer in bytes. */
    static final int BYTES = 24;

    /** Three rounds for each type with arrays, and one for each with buffers. */
    static final int ROUNDS = 8;

    /** Whether this end answers. */
    static boolean serves;

    static int run() {
        // On VI 1 a message needs a posted buffer when it arrives.
        int shortsIn = alloc(BYTES);
        int intsIn = alloc(BYTES);
        int shortsTicket = register(shortsIn, 1);
        int intsTicket = register(intsIn, 1);
        recvBufPost(shortsTicket);
        recvBufPost(intsTicket);
        for (int vi = 0; vi < 2; vi++) {
            int made = serves ? accept(vi, TAG, -1) : connect(vi, TAG, -1);
            if (made != 0) {
                return -1;
            }
        }
        int good = 0;
        for (int round = 0; round < 6; round++) {
            if (round < 3 ? shorts(round) : ints(round)) {
                good++;
            }
        }
        if (bufferOfShorts(shortsIn, shortsTicket)) {
            good++;
        }
        if (bufferOfInts(intsIn, intsTicket)) {
            good++;
        }
        if (serves) {
            // The peer ends the connections once it has the last answer.
            recv(0, -1);
        } else {
            disconnect(1);
            disconnect(0);
        }
        return good;
    }

    /** Exchanges a {@code short[]}: by waiting natives, from where it lies, or by tickets. */
    static boolean shorts(int round) {
        short[] array = new short[LENGTH];
        if (serves) {
            if (!receiveShorts(round, array)) {
                return false;
            }
        }
        for (int i = 0; i < LENGTH; i++) {
            array[i] = serves ? (short) ~array[i] : (short) (0x7ffe + round + i);
        }
        if (round == 0 && sendShorts(0, array, 1, LENGTH - 2, round) != 0
                || round == 1 && sendPinShorts(0, array, 1, LENGTH - 2, round) != 0
                || round == 2 && !isSent(sendPostShorts(0, array, 1, LENGTH - 2, round))) {
            return false;
        }
        if (serves) {
            return true;
        }
        array = new short[LENGTH];
        if (!receiveShorts(round, array)) {
            return false;
        }
        for (int i = 1; i < LENGTH - 1; i++) {
            if (array[i] != (short) ~(0x7ffe + round + i)) {
                return false;
            }
        }
        return array[0] == 0 && array[LENGTH - 1] == 0;
    }

    /** Receives all elements of an array but the first and the last. */
    static boolean receiveShorts(int round, short[] array) {
        if (round == 2) {
            return isReceived(recvPostShorts(0, array, 1, LENGTH - 2), round);
        }
        short[] message = recvShorts(0, -1);
        if (message == null || message.length != LENGTH - 2 || lastTag(0) != round) {
            return false;
        }
        for (int i = 0; i < message.length; i++) {
            array[i + 1] = message[i];
        }
        return true;
    }

    /** Exchanges an {@code int[]}, as {@link #shorts} does. */
    static boolean ints(int round) {
        int[] array = new int[LENGTH];
        if (serves) {
            if (!receiveInts(round, array)) {
                return false;
            }
        }
        for (int i = 0; i < LENGTH; i++) {
            array[i] = serves ? ~array[i] : 0x7ffffffe + round + i;
        }
        if (round == 3 && sendInts(0, array, 1, LENGTH - 2, round) != 0
                || round == 4 && sendPinInts(0, array, 1, LENGTH - 2, round) != 0
                || round == 5 && !isSent(sendPostInts(0, array, 1, LENGTH - 2, round))) {
            return false;
        }
        if (serves) {
            return true;
        }
        array = new int[LENGTH];
        if (!receiveInts(round, array)) {
            return false;
        }
        for (int i = 1; i < LENGTH - 1; i++) {
            if (array[i] != ~(0x7ffffffe + round + i)) {
                return false;
            }
        }
        return array[0] == 0 && array[LENGTH - 1] == 0;
    }

    /** Receives all elements of an array but the first and the last. */
    static boolean receiveInts(int round, int[] array) {
        if (round == 5) {
            return isReceived(recvPostInts(0, array, 1, LENGTH - 2), round);
        }
        int[] message = recvInts(0, -1);
        if (message == null || message.length != LENGTH - 2 || lastTag(0) != round) {
            return false;
        }
        for (int i = 0; i < message.length; i++) {
            array[i + 1] = message[i];
        }
        return true;
    }

    /** Waits for a posted send. */
    static boolean isSent(int ticket) {
        return ticket != -1 && sendWait(0, -1) == ticket && ticketStatus(ticket) == 0
                && ticketLength(ticket) == LENGTH - 2;
    }

    /** Waits for a posted receive. */
    static boolean isReceived(int ticket, int round) {
        return ticket != -1 && recvWait(0, -1) == ticket && ticketStatus(ticket) == 0
                && ticketLength(ticket) == LENGTH - 2 && ticketTag(ticket) == round;
    }

    /** Exchanges a buffer whose array is a {@code short[]}. */
    static boolean bufferOfShorts(int buffer, int ticket) {
        int outBuffer = alloc(BYTES);
        short[] out = toShortArray(outBuffer);
        short[] in = toShortArray(buffer);
        if (in.length != BYTES / 2 || serves && !isBufferReceived(ticket)) {
            return false;
        }
        for (int i = 0; i < out.length; i++) {
            out[i] = serves ? (short) ~in[i] : (short) (0x7ffe + i);
        }
        // A collector that moves no arrays frees the buffer only if nothing refers to its array.
        out = null;
        if (!isBufferSent(outBuffer)) {
            return false;
        }
        if (serves) {
            return true;
        }
        if (!isBufferReceived(ticket)) {
            return false;
        }
        for (int i = 0; i < in.length; i++) {
            if (in[i] != (short) ~(0x7ffe + i)) {
                return false;
            }
        }
        return true;
    }

    /** Exchanges a buffer whose array is an {@code int[]}. */
    static boolean bufferOfInts(int buffer, int ticket) {
        int outBuffer = alloc(BYTES);
        int[] out = toIntArray(outBuffer);
        int[] in = toIntArray(buffer);
        if (in.length != BYTES / 4 || serves && !isBufferReceived(ticket)) {
            return false;
        }
        for (int i = 0; i < out.length; i++) {
            out[i] = serves ? ~in[i] : 0x7ffffffe + i;
        }
        // A collector that moves no arrays frees the buffer only if nothing refers to its array.
        out = null;
        if (!isBufferSent(outBuffer)) {
            return false;
        }
        if (serves) {
            return true;
        }
        if (!isBufferReceived(ticket)) {
            return false;
        }
        for (int i = 0; i < in.length; i++) {
            if (in[i] != ~(0x7ffffffe + i)) {
                return false;
            }
        }
        return true;
    }

    /** Registers a buffer, sends it, and gives it back to be used anew. */
    static boolean isBufferSent(int buffer) {
        int ticket = register(buffer, 1);
        boolean isSent = sendBufPost(ticket, 0, BYTES, TAG) == 0 && sendBufWait(1, -1) == ticket
                && lastStatus(1) == 0;
        deregister(ticket);
        unRef(buffer, TAG);
        collect();
        free(buffer);
        return isSent;
    }

    static boolean isBufferReceived(int ticket) {
        return recvBufWait(1, -1) == ticket && lastStatus(1) == 0 && lastTag(1) == TAG;
    }
}
