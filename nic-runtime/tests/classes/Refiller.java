import static unet.Nic.*;

/** Sends and delivers as it comes, a long message in buffers, and traces what its user gives back. */
public class Refiller {
    static byte[] RxBuf;
    static final byte[] TX_BUF = new byte[4096];
    static final int[] BUFFERS = new int[14];

    static int doTx(int length, int channel, int offset) {
        doHtoLDMA(TX_BUF, 0, offset, length);
        txPush(TX_BUF, 0, channel, length);
        return 0;
    }

    static int doRx(int length, int channel) {
        if (length <= 56) {
            dmaRxdPayload(RxBuf, channel, length);
            return 0;
        }
        int share = getFreeBufferLength();
        int shares = 0;
        for (int done = 0; done < length; done += share) {
            BUFFERS[shares] = getFreeBuffer();
            int rest = length - done;
            doLtoHDMA(RxBuf, done, BUFFERS[shares], rest < share ? rest : share);
            shares++;
        }
        dmaRxd(BUFFERS, channel, length);
        return shares;
    }

    static int doRefill(int length, int channel, int offset) {
        trace(length, offset);
        return channel;
    }
}
