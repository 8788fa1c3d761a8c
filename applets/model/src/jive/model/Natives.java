package jive.model;

import java.util.Arrays;

/**
 * The natives of one endpoint. Each native checks its arguments, charges the quota of the call, and
 * then acts on the {@link Port}. A call that traps has had no effect.
 *
 * <p>The checks are those of {@code docs/natives.md}: null, then a negative array length, then bounds
 * and rights.
 */
public final class Natives {
    private static final int MESSAGE_BUFFERS_MAX = 14;
    private static final int INLINE_MAX = 56;
    private static final ThreadLocal<Natives> CURRENT = new ThreadLocal<>();

    /** The endpoint's rights. */
    public final Rights rights;

    private final Port port;
    private long dmaBytes;
    private long sends;

    /** Makes the natives of an endpoint. */
    public Natives(Rights rights, Port port) {
        this.rights = rights;
        this.port = port;
    }

    /** Returns the natives of the applet that runs in this thread. */
    public static Natives current() {
        Natives current = CURRENT.get();
        if (current == null) {
            throw new IllegalStateException("no applet runs in this thread: call it through jive.model.Applet");
        }
        return current;
    }

    /** Begins a call of an applet in this thread. Returns the natives to pass to {@link #end}. */
    Natives begin() {
        Natives outer = CURRENT.get();
        CURRENT.set(this);
        dmaBytes = 0;
        sends = 0;
        return outer;
    }

    /** Ends a call of an applet in this thread. */
    static void end(Natives outer) {
        if (outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(outer);
        }
    }

    /** See {@link unet.Nic#newAlignedArray}. */
    public byte[] newAlignedArray(int length) {
        if (length < 0) {
            throw new NegativeArraySizeException(Integer.toString(length));
        }
        byte[] array = new byte[length];
        port.completed("newAlignedArray", array, length);
        return array;
    }

    /** See {@link unet.Nic#getFreeBufferLength}. */
    public int getFreeBufferLength() {
        port.completed("getFreeBufferLength", rights.bufferLength);
        return rights.bufferLength;
    }

    /** See {@link unet.Nic#getFreeBuffer}. */
    public int getFreeBuffer() {
        int offset = port.popBuffer();
        port.completed("getFreeBuffer", offset);
        return offset;
    }

    /** See {@link unet.Nic#doHtoLDMA}. */
    public void doHtoLDMA(byte[] to, int toOffset, int hostOffset, int length) {
        checkArray(to, toOffset, length);
        checkArea(hostOffset, length);
        chargeDma(length);
        port.fetch(to, toOffset, hostOffset, length);
        port.completed("doHtoLDMA", null, to, toOffset, hostOffset, length);
    }

    /** See {@link unet.Nic#doLtoHDMA}. */
    public void doLtoHDMA(byte[] from, int fromOffset, int hostOffset, int length) {
        checkArray(from, fromOffset, length);
        checkArea(hostOffset, length);
        chargeDma(length);
        port.store(from, fromOffset, hostOffset, length);
        port.completed("doLtoHDMA", null, from, fromOffset, hostOffset, length);
    }

    /** See {@link unet.Nic#txPush}. */
    public void txPush(byte[] buffer, int offset, int channel, int length) {
        checkArray(buffer, offset, length);
        if (!rights.channels.contains(channel)) {
            throw new ProtectionFault("the endpoint has no channel " + channel);
        }
        chargePacket(length);
        port.send(channel, Arrays.copyOfRange(buffer, offset, offset + length));
        port.completed("txPush", null, buffer, offset, channel, length);
    }

    /** See {@link unet.Nic#dmaRxd}. */
    public void dmaRxd(int[] offsets, int channel, int length) {
        if (offsets == null) {
            throw new NullPointerException("the array is null");
        }
        int[] shares = shares(offsets, length);
        port.describe(shares, channel, length);
        port.completed("dmaRxd", null, offsets, channel, length);
    }

    /** See {@link unet.Nic#dmaRxdPayload}. */
    public void dmaRxdPayload(byte[] from, int channel, int length) {
        checkArray(from, 0, length);
        if (length > INLINE_MAX) {
            throw new ProtectionFault("a descriptor carries at most 56 bytes, not " + length);
        }
        port.carry(channel, Arrays.copyOf(from, length));
        port.completed("dmaRxdPayload", null, from, channel, length);
    }

    /** See {@link unet.Nic#currentTime}. */
    public int currentTime() {
        int now = port.microseconds();
        port.completed("currentTime", now);
        return now;
    }

    /** See {@link unet.Nic#setTimer}. */
    public void setTimer(int microseconds) {
        if (microseconds < 0) {
            throw new ProtectionFault("a timer of " + microseconds + " us");
        }
        port.setTimer(microseconds);
        port.completed("setTimer", null, microseconds);
    }

    /** See {@link unet.Nic#trace}. */
    public void trace(int tag, int value) {
        port.note(tag, value);
        port.completed("trace", null, tag, value);
    }

    /** See {@link unet.Nic#immediate}. */
    public int immediate() {
        int data = port.immediate();
        port.completed("immediate", data);
        return data;
    }

    /** See {@link unet.Nic#setImmediate}. */
    public void setImmediate(int value) {
        port.completed("setImmediate", null, value);
    }

    /** See {@link unet.Nic#watch}. */
    public void watch(int window, int offset, int length) {
        checkWindow(rights.ownWindows.get(window), window, offset, length);
        port.watch(window, offset, length);
        port.completed("watch", null, window, offset, length);
    }

    /** See {@link unet.Nic#windowWrite}. */
    public void windowWrite(byte[] from, int fromOffset, int window, int windowOffset, int length) {
        checkArray(from, fromOffset, length);
        checkWindow(rights.peerWindows.get(window), window, windowOffset, length);
        chargePacket(length);
        port.write(window, windowOffset, Arrays.copyOfRange(from, fromOffset, fromOffset + length));
        port.completed("windowWrite", null, from, fromOffset, window, windowOffset, length);
    }

    /** See {@link unet.Nic#windowRead}. */
    public void windowRead(byte[] into, int intoOffset, int window, int offset, int length) {
        checkArray(into, intoOffset, length);
        checkWindow(rights.peerWindows.get(window), window, offset, length);
        if (!rights.readableWindows.contains(window)) {
            throw new ProtectionFault("the endpoint may not read window " + window);
        }
        chargePacket(length);
        port.read(new WindowRead(into, intoOffset, window, offset, length));
        port.completed("windowRead", null, into, intoOffset, window, offset, length);
    }

    /** See {@link unet.Nic#rxOffset}. */
    public int rxOffset() {
        int offset = port.arrivalOffset();
        if (offset < 0) {
            throw new ProtectionFault("the call handles no packet in a free buffer");
        }
        port.completed("rxOffset", offset);
        return offset;
    }

    /** See {@link unet.Nic#peek}. */
    public void peek(byte[] into, int intoOffset, int offset, int length) {
        byte[] header = port.header();
        if (header == null) {
            throw new ProtectionFault("the call handles no packet in a free buffer");
        }
        checkArray(into, intoOffset, length);
        if (offset < 0 || (long) offset + length > header.length) {
            throw new ProtectionFault("offset " + offset + " and length " + length + " of a header of "
                    + header.length + " bytes");
        }
        System.arraycopy(header, offset, into, intoOffset, length);
        port.completed("peek", null, into, intoOffset, offset, length);
    }

    private static void checkWindow(Integer bytes, int window, int offset, int length) {
        if (bytes == null) {
            throw new ProtectionFault("the endpoint has no window " + window);
        }
        if (offset < 0 || length < 0 || (long) offset + length > bytes) {
            throw new ProtectionFault("offset " + offset + " and length " + length + " of a window of "
                    + bytes + " bytes");
        }
    }

    /** Counts a packet of the call. */
    private void chargePacket(int length) {
        if (length > rights.maxPacket) {
            throw new ProtectionFault("a packet of " + length + " bytes; most are " + rights.maxPacket);
        }
        if (sends == rights.sendQuota) {
            throw new QuotaExceeded("one call sends at most " + rights.sendQuota + " packets");
        }
        sends++;
    }

    /** Returns the offsets of a message's shares. Each share lies in the buffer area. */
    private int[] shares(int[] offsets, int length) {
        int share = rights.bufferLength;
        if (length < 0 || (length > 0 && share == 0)) {
            throw new ProtectionFault("a message of " + length + " bytes");
        }
        int needed = length == 0 ? 1 : (length - 1) / share + 1;
        if (needed > MESSAGE_BUFFERS_MAX || needed > offsets.length) {
            throw new ProtectionFault("the message needs " + needed + " buffers; the array has "
                    + offsets.length + ", a descriptor " + MESSAGE_BUFFERS_MAX);
        }
        int rest = length;
        for (int i = 0; i < needed; i++) {
            int bytes = Math.min(rest, share);
            checkArea(offsets[i], bytes);
            rest -= bytes;
        }
        return Arrays.copyOf(offsets, needed);
    }

    private static void checkArray(byte[] array, int offset, int length) {
        if (array == null) {
            throw new NullPointerException("the array is null");
        }
        if (offset < 0 || length < 0 || (long) offset + length > array.length) {
            throw new ProtectionFault("offset " + offset + ", length " + length + " of an array of "
                    + array.length + " bytes");
        }
    }

    private void checkArea(int offset, int length) {
        if (offset < 0 || length < 0 || (long) offset + length > rights.bufferArea) {
            throw new ProtectionFault("offset " + offset + ", length " + length
                    + " of a buffer area of " + rights.bufferArea + " bytes");
        }
    }

    private void chargeDma(int length) {
        if (dmaBytes + length > rights.dmaQuota) {
            throw new QuotaExceeded("one call moves at most " + rights.dmaQuota + " bytes");
        }
        dmaBytes += length;
    }
}
