import static unet.Nic.*;

/** Gives the user those arrivals that are IPv4 datagrams of UDP for port 5300; drops all others. */
public class PortFilter {
    static final int PORT = 5300;

    static byte[] RxBuf;
    static int[] offsets = new int[1];

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        if (!passes(length)) {
            return 0;
        }
        if (length <= 56) {
            dmaRxdPayload(RxBuf, channel, length);
            return 1;
        }
        offsets[0] = getFreeBuffer();
        if (offsets[0] < 0) {
            return 0;
        }
        doLtoHDMA(RxBuf, 0, offsets[0], length);
        dmaRxd(offsets, channel, length);
        return 1;
    }

    /** Reads an Ethernet frame: 14 bytes of header, then IPv4 with its length in words. */
    static boolean passes(int length) {
        if (length < 42 || half(12) != 0x0800 || RxBuf[23] != 17) {
            return false;
        }
        int udp = 14 + (RxBuf[14] & 15) * 4;
        return udp + 4 <= length && half(udp + 2) == PORT;
    }

    static int half(int at) {
        return (RxBuf[at] & 255) << 8 | RxBuf[at + 1] & 255;
    }
}
