package jive.model;

/**
 * The NIC behind the natives: where bytes go and where answers come from. {@link Natives} has
 * checked every argument before it calls a method here.
 */
public interface Port {
    /** Pops the free queue and returns the buffer's offset, or -1. */
    int popBuffer();

    /** Copies bytes of the buffer area into an array. */
    void fetch(byte[] to, int toOffset, int hostOffset, int length);

    /** Copies bytes of an array into the buffer area. */
    void store(byte[] from, int fromOffset, int hostOffset, int length);

    /** Sends a packet. The port owns the bytes. */
    void send(int channel, byte[] bytes);

    /** Delivers a message that lies in the buffer area. The port owns the offsets. */
    void describe(int[] offsets, int channel, int length);

    /** Delivers a message of at most 56 bytes. The port owns the bytes. */
    void carry(int channel, byte[] bytes);

    /** Returns the time in microseconds. */
    int microseconds();

    /** Sets the timer, or clears it with 0. */
    void setTimer(int microseconds);

    /** Watches bytes of a window of the endpoint, or removes the watches of the window if the length is 0. */
    void watch(int window, int offset, int length);

    /** Writes bytes into a window of a peer. */
    void write(int window, int offset, byte[] bytes);

    /** Takes a read of a window of a peer. */
    void read(WindowRead read);

    /** Returns the immediate data of the message that is handled. */
    int immediate();

    /** Returns the offset of the buffer with the packet that is handled, or -1 if there is none. */
    int arrivalOffset();

    /** Returns the bytes that the NIC keeps of the packet that is handled, or null if there is none. */
    byte[] header();

    /** Takes the tag and the value of a {@code trace}. */
    void note(int tag, int value);

    /** Takes every native that has completed, in the order of the calls. */
    void completed(String name, Object result, Object... arguments);
}
