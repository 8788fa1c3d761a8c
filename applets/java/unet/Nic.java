// Generated from the table of natives (`jive stub`): a change belongs there.
package unet;

/**
 * What the NIC does for an applet. The methods have no Java bodies: the NIC's firmware is behind
 * them. Compile an applet against this class with {@code import static unet.Nic.*;}.
 *
 * <p>Arguments are checked by the NIC at each call. A null array is a
 * {@code NullPointerException}; anything that would reach outside an array, outside the endpoint's
 * buffer area or to a channel that is not the endpoint's own is a {@code ProtectionFault}, and
 * nothing has happened then.
 */
public final class Nic {
    private Nic() {
    }

    /** Returns a new byte array of {@code length} bytes, all zero and aligned for DMA. */
    public static native byte[] newAlignedArray(int length);

    /** Returns the number of bytes in each of the endpoint's free buffers. */
    public static native int getFreeBufferLength();

    /**
     * Pops the endpoint's free queue and returns the buffer's offset in the buffer area, or -1
     * where the queue is empty.
     */
    public static native int getFreeBuffer();

    /**
     * Copies {@code length} bytes by DMA from {@code hostOffset} of the endpoint's buffer area into
     * {@code to}, from {@code toOffset} on; returns when the bytes are there.
     */
    public static native void doHtoLDMA(byte[] to, int toOffset, int hostOffset, int length);

    /**
     * Copies {@code length} bytes of {@code from}, from {@code fromOffset} on, by DMA to
     * {@code hostOffset} of the endpoint's buffer area. The copy is queued, with the bytes as they
     * are at the call.
     */
    public static native void doLtoHDMA(byte[] from, int fromOffset, int hostOffset, int length);

    /**
     * Sends {@code length} bytes of {@code buffer}, from {@code offset} on, as one packet on
     * {@code channel}, with the bytes as they are at the call.
     */
    public static native void txPush(byte[] buffer, int offset, int channel, int length);

    /**
     * Pushes a receive descriptor for a message of {@code length} bytes in the buffer area. Its
     * shares of {@code getFreeBufferLength()} bytes each start at {@code offsets[0]},
     * {@code offsets[1]}, and so on, at most 14 of them.
     */
    public static native void dmaRxd(int[] offsets, int channel, int length);

    /**
     * Pushes a receive descriptor that carries the first {@code length} bytes of {@code from}
     * itself, at most 56.
     */
    public static native void dmaRxdPayload(byte[] from, int channel, int length);

    /**
     * Returns the time in whole microseconds since the run began; behind 2147483647 comes
     * -2147483648. Beyond the paper.
     */
    public static native int currentTime();

    /**
     * Has {@code doTimer} called once, {@code microseconds} from now, in place of any time that was
     * set before; 0 sets none. Beyond the paper.
     */
    public static native void setTimer(int microseconds);

    /**
     * Notes a tag and a value in the trace, as the event {@code applet-trace}. Beyond the paper.
     */
    public static native void trace(int tag, int value);
}
