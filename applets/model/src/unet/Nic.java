package unet;

import jive.model.Natives;

/**
 * The natives that an applet may call, in plain Java. An applet that was compiled against the stub
 * of {@code jive stub} runs with this class unchanged.
 *
 * <p>Each method acts on the endpoint whose applet runs in the current thread. {@link Natives} has
 * the checks.
 */
public final class Nic {
    private Nic() {
    }

    /** Returns a new byte array of {@code length} bytes, all zero. */
    public static byte[] newAlignedArray(int length) {
        return Natives.current().newAlignedArray(length);
    }

    /** Returns the number of bytes in each of the endpoint's free buffers. */
    public static int getFreeBufferLength() {
        return Natives.current().getFreeBufferLength();
    }

    /** Pops the free queue and returns the buffer's offset, or -1 if the queue is empty. */
    public static int getFreeBuffer() {
        return Natives.current().getFreeBuffer();
    }

    /** Copies bytes of the buffer area into an array. */
    public static void doHtoLDMA(byte[] to, int toOffset, int hostOffset, int length) {
        Natives.current().doHtoLDMA(to, toOffset, hostOffset, length);
    }

    /** Copies bytes of an array into the buffer area. */
    public static void doLtoHDMA(byte[] from, int fromOffset, int hostOffset, int length) {
        Natives.current().doLtoHDMA(from, fromOffset, hostOffset, length);
    }

    /** Sends bytes of an array as one packet. */
    public static void txPush(byte[] buffer, int offset, int channel, int length) {
        Natives.current().txPush(buffer, offset, channel, length);
    }

    /** Pushes a receive descriptor for a message in the buffer area. */
    public static void dmaRxd(int[] offsets, int channel, int length) {
        Natives.current().dmaRxd(offsets, channel, length);
    }

    /** Pushes a receive descriptor that carries the message itself. */
    public static void dmaRxdPayload(byte[] from, int channel, int length) {
        Natives.current().dmaRxdPayload(from, channel, length);
    }

    /** Returns the time in microseconds since the run began. */
    public static int currentTime() {
        return Natives.current().currentTime();
    }

    /** Sets the timer, or clears it with 0. */
    public static void setTimer(int microseconds) {
        Natives.current().setTimer(microseconds);
    }

    /** Passes a tag and a value to the trace. */
    public static void trace(int tag, int value) {
        Natives.current().trace(tag, value);
    }

    /** Returns the immediate data of the message that a VI's applet handles, or 0. */
    public static int immediate() {
        return Natives.current().immediate();
    }

    /** Sets the immediate data of the packets that the call sends from now on. */
    public static void setImmediate(int value) {
        Natives.current().setImmediate(value);
    }

    /** Watches bytes of a window of the endpoint, or removes the watches of the window if the length is 0. */
    public static void watch(int window, int offset, int length) {
        Natives.current().watch(window, offset, length);
    }

    /** Writes bytes of an array into a window of a peer. */
    public static void windowWrite(byte[] from, int fromOffset, int window, int windowOffset, int length) {
        Natives.current().windowWrite(from, fromOffset, window, windowOffset, length);
    }

    /** Reads bytes of a window of a peer into an array, which has them when {@code doRead} is called. */
    public static void windowRead(byte[] into, int intoOffset, int window, int offset, int length) {
        Natives.current().windowRead(into, intoOffset, window, offset, length);
    }

    /** See the declaration that {@code jive stub} prints. */
    public static int rxOffset() {
        return Natives.current().rxOffset();
    }

    /** See the declaration that {@code jive stub} prints. */
    public static void peek(byte[] into, int intoOffset, int offset, int length) {
        Natives.current().peek(into, intoOffset, offset, length);
    }
}
