import static unet.Nic.*;

/** Does what the base path does, with new arrays in each call. */
public class Fresh {
    byte[] RxBuf;

    int doTx(int length, int channel, int offset) {
        byte[] message = newAlignedArray(length);
        doHtoLDMA(message, 0, offset, length);
        txPush(message, 0, channel, length);
        return 0;
    }

    int doRx(int length, int channel) {
        if (length <= 56) {
            byte[] copy = new byte[length];
            for (int i = 0; i < length; i++) {
                copy[i] = RxBuf[i];
            }
            dmaRxdPayload(copy, channel, length);
            return 0;
        }
        int share = getFreeBufferLength();
        int[] offsets = new int[14];
        for (int done = 0, i = 0; done < length; i++) {
            offsets[i] = getFreeBuffer();
            int here = length - done < share ? length - done : share;
            doLtoHDMA(RxBuf, done, offsets[i], here);
            done += here;
        }
        dmaRxd(offsets, channel, length);
        return 0;
    }
}
