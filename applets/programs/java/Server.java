import static via.Via.*;

/**
 * Accepts two connections of {@link Reconnect} one after the other. {@code run} returns 0, or the
 * number of the step that went otherwise.
 */
public class Server {
    /** The tag of the first connection; that of the second is one more. */
    static final int TAG = 7;

    static int run() {
        pause(5000);
        if (accept(0, TAG, -1) != 0) {
            return 1;
        }
        if (!answer()) {
            return 2;
        }
        // The peer ends the connection.
        if (recv(0, -1) != null) {
            return 3;
        }
        if (accept(0, TAG + 1, -1) != 0) {
            return 4;
        }
        if (accept(0, TAG + 1, 0) != -1) {
            return 5;
        }
        if (!answer() || !answer()) {
            return 6;
        }
        // The last answer has a millisecond to arrive.
        pause(1000);
        disconnect(0);
        return 0;
    }

    /** Sends a message back with each byte one higher. */
    static boolean answer() {
        byte[] message = recv(0, -1);
        if (message == null) {
            return false;
        }
        int tag = lastTag(0);
        for (int i = 0; i < message.length; i++) {
            message[i]++;
        }
        return send(0, message, 0, message.length, tag) == 0;
    }
}
