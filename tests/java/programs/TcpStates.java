/** A state machine with a sparse switch inside a dense one: a part of TCP's. */
class TcpStates {
    static final int CLOSED = 0, LISTEN = 1, SYN_RECEIVED = 2, ESTABLISHED = 3, CLOSE_WAIT = 4, LAST_ACK = 5;
    static final int FIN = 1, SYN = 2, RST = 4, ACK = 16, OPEN = 1000, CLOSE = -1000;

    static int state;

    static int run(int event) {
        switch (state) {
            case CLOSED:
                if (event == OPEN) state = LISTEN;
                break;
            case LISTEN:
                switch (event) {
                    case SYN: state = SYN_RECEIVED; break;
                    case CLOSE: state = CLOSED; break;
                    default: break;
                }
                break;
            case SYN_RECEIVED:
                switch (event) {
                    case ACK: state = ESTABLISHED; break;
                    case RST: state = LISTEN; break;
                    case CLOSE: state = CLOSED; break;
                }
                break;
            case ESTABLISHED:
                if (event == FIN) state = CLOSE_WAIT;
                else if (event == RST) state = CLOSED;
                break;
            case CLOSE_WAIT:
                if (event == CLOSE) state = LAST_ACK;
                break;
            case LAST_ACK:
                if (event == ACK) state = CLOSED;
                break;
        }
        return state;
    }
}
