import static unet.Nic.*;

/** Calls natives while it is loaded: sends on channel 1, and has a message for the user in its first buffer. */
public class Early {
    static byte[] RxBuf;

    Early() {
        byte[] word = newAlignedArray(4);
        word[0] = 'w';
        txPush(word, 0, 1, 1);
        int[] offsets = new int[1];
        offsets[0] = getFreeBuffer();
        doLtoHDMA(word, 0, offsets[0], 4);
        word[0] = 'x';
        dmaRxd(offsets, 1, 4);
        doHtoLDMA(word, 0, 0, 4);
        txPush(word, 0, 1, 1);
        txPush(word, 0, 1, 4);
    }

    int doTx(int length, int channel, int offset) {
        return 0;
    }

    int doRx(int length, int channel) {
        return RxBuf[0];
    }
}
