import static unet.Nic.*;

/** Makes arrays of a million bytes, with few instructions and little fuel. */
public class Clearer {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        byte[] first = new byte[1000000];
        byte[] second = newAlignedArray(1000000);
        return first.length + second.length;
    }

    static int doRx(int length, int channel) {
        return 0;
    }
}
