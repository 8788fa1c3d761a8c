package jive.model;

import java.util.Arrays;

/** A packet that an applet has sent, or a message that it has delivered to its user. */
public final class Message {
    /** The channel: of the packet, or as the receive descriptor names it. */
    public final int channel;

    /** The bytes. */
    public final byte[] bytes;

    /** Offsets of the buffers that the message lies in; empty if the descriptor carries it. */
    public final int[] buffers;

    /** The buffers among those that go back to the free queue when the user has read the message. */
    final int[] owed;

    Message(int channel, byte[] bytes, int[] buffers, int[] owed) {
        this.channel = channel;
        this.bytes = bytes;
        this.buffers = buffers;
        this.owed = owed;
    }

    @Override
    public String toString() {
        String where = buffers.length == 0 ? "" : " in buffers " + Arrays.toString(buffers);
        return "channel " + channel + where + ": " + Text.hex(bytes, 0, bytes.length);
    }
}
