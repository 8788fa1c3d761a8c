/** An object of its own. */
class NewObject {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        NewObject other = new NewObject(); // here
        return other.doTx(0, 0, 0);
    }
}
