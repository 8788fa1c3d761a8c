/** A class with a gap in it. */
abstract class AbstractClass {
    byte[] RxBuf;

    abstract int doTx(int length, int channel, int offset); // here

    int doRx(int length, int channel) {
        return 0;
    }
}
