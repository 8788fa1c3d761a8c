import static via.Via.*;

/**
 * Asks {@link Server} for connections: too early, with the wrong tag, and twice with the right one.
 * {@code run} returns 0, or the number of the step that went otherwise.
 */
public class Reconnect {
    /** The tag of the first connection; that of the second is one more. */
    static final int TAG = 7;

    /** A tag that {@link Server} does not accept. */
    static final int WRONG_TAG = 99;

    static int run() {
        // The server accepts only after 5 ms.
        if (connect(0, TAG, 1) != -1) {
            return 1;
        }
        // The server waits for another tag, and refuses this one.
        if (connect(0, WRONG_TAG, -1) != -1) {
            return 2;
        }
        if (connect(0, TAG, -1) != 0) {
            return 3;
        }
        if (connect(0, TAG, -1) != -1) {
            return 4;
        }
        if (!exchange(11)) {
            return 5;
        }
        disconnect(0);
        byte[] late = new byte[4];
        if (send(0, late, 0, 4, 0) != 4) {
            // Without a connection a message is flushed.
            return 6;
        }
        if (connect(0, TAG + 1, -1) != 0) {
            return 7;
        }
        if (!exchange(22) || !exchange(33)) {
            return 8;
        }
        // The server ends this connection.
        if (recv(0, -1) != null) {
            return 9;
        }
        return 0;
    }

    /** Sends a message and returns whether it comes back with each byte one higher. */
    static boolean exchange(int value) {
        byte[] message = { (byte) value, (byte) (value + 1) };
        if (send(0, message, 0, 2, value) != 0) {
            return false;
        }
        byte[] answer = recv(0, -1);
        return answer != null && answer.length == 2 && lastTag(0) == value
                && answer[0] == value + 1 && answer[1] == value + 2;
    }
}
