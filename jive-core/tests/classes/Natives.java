import unet.Nic;

/** Natives reached in each of the three ways. */
class Natives {
    static native int getFreeBuffer();
    native void txPush(byte[] buffer, int offset, int channel, int length);

    static int own() { return getFreeBuffer() + 1; }
    static int nic() { return Nic.getFreeBuffer() + 2; }
    void send() { byte[] b = new byte[3]; b[2] = 7; txPush(b, 1, 2, 3); }
    static void sendNowhere() { Natives none = null; none.txPush(null, 1, 2, 3); }
    static int between(int a) { return a * 100 + Nic.getFreeBuffer() * 10 + a; }
    static int nested(int a) { return 1 + between(a); }
}
