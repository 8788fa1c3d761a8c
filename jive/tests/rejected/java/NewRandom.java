import java.util.Random;

/** A die. */
class NewRandom {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return new Random(7).nextInt(); // here
    }
}
