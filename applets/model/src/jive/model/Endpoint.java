package jive.model;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * An endpoint with an applet, to drive by hand or from a unit test:
 *
 * <pre>{@code
 * Endpoint endpoint = new Endpoint().connect(1).load(Parrot.class);
 * int answered = endpoint.arrive(1, "hello".getBytes());
 * Message answer = endpoint.takeSent();
 * }</pre>
 *
 * <p>Natives take effect at once and in order. The clock moves only in {@link #advance}. Traps leave
 * {@link #arrive}, {@link #post} and {@link #advance} as exceptions.
 */
public final class Endpoint implements Port {
    private static final int INLINE_MAX = 56;

    /** The endpoint's sizes and channels. Change them before {@link #load}. */
    public final Rights rights = new Rights();

    private final Natives natives = new Natives(rights, this);
    private final Deque<Integer> free = new ArrayDeque<>();
    private final Set<Integer> popped = new HashSet<>();
    private final Deque<Integer> poppedByCall = new ArrayDeque<>();
    private final Deque<Message> sent = new ArrayDeque<>();
    private final Deque<Message> received = new ArrayDeque<>();
    private final Map<Integer, Integer> windowOffsets = new TreeMap<>();
    private final List<int[]> watches = new ArrayList<>();
    private final Deque<WindowWrite> written = new ArrayDeque<>();

    private final Deque<WindowRead> begun = new ArrayDeque<>();
    private final List<String> log = new ArrayList<>();
    private byte[] area;

    /** The offset of the buffer with the packet that is handled, or -1. */
    private int arrival = -1;
    private byte[] header;
    private int nextSend;
    private int now;
    private int timer;
    private Applet applet;

    /** Adds a channel with this number. */
    public Endpoint connect(int channel) {
        rights.channels.add(channel);
        return this;
    }

    /** Opens a window of the buffer area to a peer. */
    public Endpoint openWindow(int number, int offset, int length) {
        if (offset < 0 || length < 0 || offset > rights.bufferArea - length) {
            throw new IllegalArgumentException("the window lies outside of the buffer area");
        }
        rights.ownWindows.put(number, length);
        windowOffsets.put(number, offset);
        return this;
    }

    /** Gives the applet a window of a peer, which it may also read. */
    public Endpoint openReadableWindow(int number, int length) {
        rights.readableWindows.add(number);
        return openPeerWindow(number, length);
    }

    /** Gives the applet a window of a peer. */
    public Endpoint openPeerWindow(int number, int length) {
        rights.peerWindows.put(number, length);
        return this;
    }

    /** Loads a fresh copy of a compiled applet, and runs its initializers. */
    public Endpoint load(Class<?> type) {
        return load(type, Collections.<String, Object>emptyMap());
    }

    /** Loads an applet, with static fields that are set before the static initializer runs. */
    public Endpoint load(Class<?> type, Map<String, Object> state) {
        try {
            return load(Applet.bytesOf(type), state);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Loads an applet from the bytes of its class file. */
    public Endpoint load(byte[] classFile, Map<String, Object> state) {
        area = new byte[rights.bufferArea];
        nextSend = firstSend();
        for (int i = 0; i < rights.freeBuffers; i++) {
            free.add(i * rights.bufferLength);
        }
        try {
            applet = new Applet(classFile, natives, Applet.positions(classFile, state));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        applet.initialize();
        applet.construct();
        poppedByCall.clear();
        return this;
    }

    /** A packet arrives: calls {@code doRx} and returns its value. */
    public int arrive(int channel, byte[] packet) {
        if (packet.length > rights.maxPacket) {
            throw new IllegalArgumentException("a packet has at most " + rights.maxPacket + " bytes");
        }
        if (rights.header > 0) {
            return arriveDirectly(channel, packet);
        }
        applet.receive(packet);
        return call("doRx", packet.length, channel);
    }

    /**
     * A packet arrives at a NIC that receives directly, in the next free buffer. Returns 0 without a
     * call if there is none, or if it is too short.
     */
    private int arriveDirectly(int channel, byte[] packet) {
        if (free.isEmpty() || packet.length > rights.bufferLength) {
            return 0;
        }
        arrival = free.poll();
        System.arraycopy(packet, 0, area, arrival, packet.length);
        header = Arrays.copyOf(packet, Math.min(packet.length, rights.header));
        popped.add(arrival);
        try {
            return call("doRx", packet.length, channel);
        } finally {
            // A buffer that no descriptor has named is free again.
            if (popped.remove(arrival)) {
                free.addFirst(arrival);
            }
            arrival = -1;
            header = null;
        }
    }

    /** A peer writes to a window: changes the buffer area, and calls {@code doWatch} for each watch. */
    public void peerWrites(int window, int offset, byte[] bytes) {
        int most = rights.ownWindows.getOrDefault(window, -1);
        if (offset < 0 || offset > most - bytes.length) {
            throw new IllegalArgumentException("the bytes lie outside of window " + window);
        }
        System.arraycopy(bytes, 0, area, windowOffsets.get(window) + offset, bytes.length);
        for (int[] watch : new ArrayList<>(watches)) {
            boolean meets = offset < watch[1] + watch[2] && watch[1] < offset + bytes.length;
            if (watch[0] == window && meets && bytes.length > 0) {
                call("doWatch", watch);
            }
        }
    }

    /** Returns the oldest write of the applet to a window of a peer, or null. */
    public WindowWrite takeWritten() {
        return written.poll();
    }

    /** Returns the oldest read that the applet has begun of a window of a peer, or null. */
    public WindowRead takeRead() {
        return begun.poll();
    }

    /** A read ends with these bytes: puts them into the applet's array, and calls {@code doRead}. */
    public void readEnds(WindowRead read, byte[] bytes) {
        read.land(bytes);
        call("doRead", read.window, read.offset, 0);
    }

    /** A read ends without bytes: calls {@code doRead} with the status 1, refused, or 2, lost. */
    public void readFails(WindowRead read, int status) {
        call("doRead", read.window, read.offset, status);
    }

    /** The user sends a message: writes it into the buffer area and calls {@code doTx}. */
    public int post(int channel, byte[] message) {
        if (message.length > area.length - firstSend()) {
            throw new IllegalArgumentException("no room for a message of " + message.length + " bytes");
        }
        if (message.length > area.length - nextSend) {
            nextSend = firstSend();
        }
        int offset = nextSend;
        System.arraycopy(message, 0, area, offset, message.length);
        nextSend = Math.min(area.length, (offset + message.length + 7) & ~7);
        return call("doTx", message.length, channel, offset);
    }

    /** Moves the clock. Calls {@code doTimer} each time that the timer runs out. */
    public void advance(int microseconds) {
        int left = microseconds;
        while (timer > 0 && timer <= left) {
            left -= timer;
            now += timer;
            timer = 0;
            if (applet.has("doTimer", 0)) {
                call("doTimer");
            }
        }
        now += left;
        timer -= timer > 0 ? left : 0;
    }

    /** Returns the oldest packet that the applet has sent, or null. */
    public Message takeSent() {
        return sent.poll();
    }

    /**
     * The user reads the oldest delivered message and gives its buffers back, for which
     * {@code doRefill} is called if the applet has it. Returns null if there is no message.
     */
    public Message takeReceived() {
        Message message = received.poll();
        if (message == null) {
            return null;
        }
        boolean isTold = applet.has("doRefill", 3);
        for (int offset : message.owed) {
            free.addLast(offset);
        }
        if (isTold && message.buffers.length == 0) {
            call("doRefill", INLINE_MAX, message.channel, -1);
        }
        for (int offset : message.owed) {
            if (isTold) {
                call("doRefill", rights.bufferLength, message.channel, offset);
            }
        }
        return message;
    }

    /** Returns the value of one of the applet's fields. */
    public Object get(String field) {
        return applet.get(field);
    }

    /** Returns the buffer area itself. */
    public byte[] area() {
        return area;
    }

    /** Returns the offsets of the free buffers, in the order of the queue. */
    public List<Integer> free() {
        return new ArrayList<>(free);
    }

    /** Returns every native that has completed so far, in order. */
    public List<String> log() {
        return log;
    }

    private int firstSend() {
        return (rights.freeBuffers * rights.bufferLength + 7) & ~7;
    }

    private int call(String entry, int... arguments) {
        boolean hasReturned = false;
        try {
            int value = (Integer) applet.call(entry, arguments);
            hasReturned = true;
            return value;
        } finally {
            // A trap returns the buffers that the call has popped and not named, in their order.
            while (!hasReturned && !poppedByCall.isEmpty()) {
                int offset = poppedByCall.pop();
                popped.remove(offset);
                free.addFirst(offset);
            }
            poppedByCall.clear();
        }
    }

    @Override
    public int popBuffer() {
        if (free.isEmpty()) {
            return -1;
        }
        int offset = free.poll();
        popped.add(offset);
        poppedByCall.push(offset);
        return offset;
    }

    @Override
    public void fetch(byte[] to, int toOffset, int hostOffset, int length) {
        System.arraycopy(area, hostOffset, to, toOffset, length);
    }

    @Override
    public void store(byte[] from, int fromOffset, int hostOffset, int length) {
        System.arraycopy(from, fromOffset, area, hostOffset, length);
    }

    @Override
    public void send(int channel, byte[] bytes) {
        sent.add(new Message(channel, bytes, new int[0], new int[0]));
    }

    @Override
    public void describe(int[] offsets, int channel, int length) {
        int[] owed = new int[offsets.length];
        int named = 0;
        byte[] bytes = new byte[length];
        for (int i = 0; i < offsets.length; i++) {
            int done = i * rights.bufferLength;
            int share = Math.min(rights.bufferLength, length - done);
            System.arraycopy(area, offsets[i], bytes, done, share);
            if (popped.remove(offsets[i])) {
                poppedByCall.remove(offsets[i]);
                owed[named++] = offsets[i];
            }
        }
        if (received.size() < rights.receiveQueue) {
            received.add(new Message(channel, bytes, offsets, Arrays.copyOf(owed, named)));
            return;
        }
        // The queue is full, so the message is dropped and its buffers are free again.
        while (named > 0) {
            free.addFirst(owed[--named]);
        }
    }

    @Override
    public void carry(int channel, byte[] bytes) {
        if (received.size() < rights.receiveQueue) {
            received.add(new Message(channel, bytes, new int[0], new int[0]));
        }
    }

    @Override
    public int microseconds() {
        return now;
    }

    @Override
    public int immediate() {
        // The model is an endpoint of U-Net, whose messages have no immediate data.
        return 0;
    }

    @Override
    public int arrivalOffset() {
        return arrival;
    }

    @Override
    public byte[] header() {
        return header;
    }

    @Override
    public void setTimer(int microseconds) {
        timer = microseconds;
    }

    @Override
    public void watch(int window, int offset, int length) {
        if (length == 0) {
            watches.removeIf(watch -> watch[0] == window);
        } else if (applet.has("doWatch", 3)
                && watches.stream().noneMatch(watch -> watch[0] == window && watch[1] == offset && watch[2] == length)) {
            watches.add(new int[] {window, offset, length});
        }
    }

    @Override
    public void write(int window, int offset, byte[] bytes) {
        written.add(new WindowWrite(window, offset, bytes));
    }

    @Override
    public void read(WindowRead read) {
        if (applet.has("doRead", 3)) {
            begun.add(read);
        }
    }

    @Override
    public void note(int tag, int value) {
        // The log has the note as a native.
    }

    @Override
    public void completed(String name, Object result, Object... arguments) {
        log.add(Text.nativeCall(name, result, arguments));
    }
}
