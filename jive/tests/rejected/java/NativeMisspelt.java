/** A native that the NIC does not have. */
class NativeMisspelt {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return getFreeBufer();
    }

    native int getFreeBufer(); // here
}
