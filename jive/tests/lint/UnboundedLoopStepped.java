/** Takes large steps to the length of a packet, which is far below the greatest int. */
class UnboundedLoopStepped {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return length;
    }

    static int doRx(int length, int channel) {
        int sum = 0;
        for (int i = 0; i < length; i += 4) {
            sum += RxBuf[i];
        }
        return sum + odd(length);
    }

    static int odd(int length) {
        int rounds = 0;
        for (int i = 1; i <= length; i += 2) {
            rounds++;
        }
        return rounds;
    }
}
