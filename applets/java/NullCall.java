import static unet.Nic.*;

/**
 * Measures the cost of a native call: each request of the user calls a native that does almost
 * nothing. Sends no packets, and ignores packets that arrive.
 */
public class NullCall {
    /** The packet that arrived. The NIC sets this field. */
    static byte[] RxBuf;

    NullCall() {}

    /** Calls the native and returns its result. */
    static int doTx(int length, int channel, int offset) {
        return getFreeBufferLength();
    }

    /** Ignores the packet. */
    static int doRx(int length, int channel) {
        return 0;
    }
}
