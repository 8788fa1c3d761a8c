package jive.model;

/** A read that an applet has begun of a window of a peer. */
public final class WindowRead {
    /** The number of the window. */
    public final int window;

    /** Offset in the window. */
    public final int offset;

    /** Number of bytes. */
    public final int length;

    private final byte[] into;
    private final int intoOffset;

    WindowRead(byte[] into, int intoOffset, int window, int offset, int length) {
        this.into = into;
        this.intoOffset = intoOffset;
        this.window = window;
        this.offset = offset;
        this.length = length;
    }

    /** Puts the bytes into the array of the applet. */
    void land(byte[] bytes) {
        if (bytes.length != length) {
            throw new IllegalArgumentException("the read is of " + length + " bytes");
        }
        System.arraycopy(bytes, 0, into, intoOffset, length);
    }

    @Override
    public String toString() {
        return length + " bytes of window " + window + " at " + offset;
    }
}
