/** An applet whose receive buffer is of another type. */
class IntBuffer {
    int[] RxBuf; // here

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return 0;
    }
}
