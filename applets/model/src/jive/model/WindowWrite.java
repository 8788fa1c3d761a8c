package jive.model;

/** A write of an applet to a window of a peer. */
public final class WindowWrite {
    /** The number of the window. */
    public final int window;

    /** Offset in the window. */
    public final int offset;

    /** The bytes. */
    public final byte[] bytes;

    WindowWrite(int window, int offset, byte[] bytes) {
        this.window = window;
        this.offset = offset;
        this.bytes = bytes;
    }

    @Override
    public String toString() {
        return "window " + window + " at " + offset + ": " + Text.hex(bytes, 0, bytes.length);
    }
}
