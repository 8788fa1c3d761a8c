package jive.model;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Repeats the calls of a simulation for {@code jive test --java}. Reads one command per line from
 * standard input, and answers with lines up to a line with a period.
 *
 * <ul>
 * <li>{@code begin ENDPOINT MAX_PACKET AREA BUFFER_LENGTH DMA_QUOTA SENDS CHANNELS OWN PEERS STATE
 * CLASS HEADER} loads an applet. Its initializers are calls of their own. OWN and PEERS are windows, as
 * {@code NUMBER:LENGTH}, or {@code NUMBER:LENGTH:r} if the window of a peer may be read. PACKET is
 * what {@code doRx} or {@code doRead} is called for. HEADER is the number of bytes that the NIC keeps
 * of a packet, or 0 if the applet has {@code RxBuf}.
 * <li>{@code call ENDPOINT METHOD ARGUMENTS PACKET NATIVES} makes one call.
 * <li>{@code fields ENDPOINT} shows the value of each field, in the order of the class file.
 * <li>{@code end} forgets all endpoints.
 * </ul>
 *
 * <p>A list has commas; {@code -} is an empty one. Bytes are hexadecimal. NATIVES are the natives
 * that the simulation has seen, as {@code NAME} or {@code NAME=ANSWER}: the answer of natives whose
 * result depends on the host or on time. At the first native with another name the call is ended.
 */
final class Replay implements Port {
    /** Ends a call that differs from the simulation's. */
    private static final class Diverged extends Error {
        private static final long serialVersionUID = 1L;
    }

    private static final PrintStream OUT = out();

    private final Applet applet;
    private List<String[]> natives = new ArrayList<>();
    private final List<WindowRead> begun = new ArrayList<>();
    private final Rights rights = new Rights();
    private int next;

    /** What the NIC keeps of the packet that the call handles, if it receives directly. */
    private byte[] header;

    private Replay(String[] words) throws IOException {
        rights.maxPacket = Integer.parseInt(words[2]);
        rights.bufferArea = Integer.parseInt(words[3]);
        rights.header = Integer.parseInt(words[12]);
        rights.bufferLength = Integer.parseInt(words[4]);
        rights.dmaQuota = Long.parseLong(words[5]);
        rights.sendQuota = Long.parseLong(words[6]);
        for (int channel : numbers(words[7], ",")) {
            rights.channels.add(channel);
        }
        windows(words[8], rights.ownWindows);
        windows(words[9], rights.peerWindows);
        for (String window : list(words[9])) {
            if (window.endsWith(":r")) {
                rights.readableWindows.add(Integer.parseInt(window.split(":")[0]));
            }
        }
        Map<Integer, Object> state = new TreeMap<>();
        for (String field : list(words[10])) {
            String[] parts = field.split(":", 3);
            state.put(Integer.parseInt(parts[0]), value(parts[1], parts[2]));
        }
        applet = new Applet(Text.bytes(words[11]), new Natives(rights, this), state);
    }

    private static void windows(String words, Map<Integer, Integer> into) {
        for (String window : list(words)) {
            String[] parts = window.split(":");
            into.put(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
        }
    }

    /** Runs the commands of standard input. */
    public static void main(String[] arguments) throws IOException {
        // Nothing but answers may appear on standard output.
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        Map<String, Replay> endpoints = new TreeMap<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            try {
                run(words, endpoints);
            } catch (Throwable error) {
                OUT.println("x " + Text.ascii(error.getClass().getName() + ": " + error.getMessage()));
            }
            OUT.println(".");
            OUT.flush();
        }
    }

    private static void run(String[] words, Map<String, Replay> endpoints) throws IOException {
        switch (words[0]) {
            case "begin":
                endpoints.put(words[1], new Replay(words));
                break;
            case "call":
                endpoints.get(words[1]).call(words[2], numbers(words[3], ","), words[4], list(words[5]));
                break;
            case "fields":
                endpoints.get(words[1]).printFields();
                break;
            case "end":
                endpoints.clear();
                break;
            default:
                throw new IllegalArgumentException("unknown command " + words[0]);
        }
    }

    private void call(String method, int[] arguments, String packet, String[] script) {
        natives.clear();
        next = 0;
        for (String entry : script) {
            natives.add(entry.split("=", 2));
        }
        header = null;
        if (method.equals("doRx") && rights.header > 0) {
            byte[] bytes = Text.bytes(packet.substring(1));
            header = Arrays.copyOf(bytes, Math.min(bytes.length, rights.header));
        }
        if (method.equals("doRead")) {
            land(arguments, packet);
        } else if (!packet.equals("-")) {
            applet.receive(Text.bytes(packet.substring(1)));
        }
        try {
            Object value = null;
            if (method.equals("<clinit>")) {
                applet.initialize();
            } else if (method.equals("<init>")) {
                applet.construct();
            } else {
                value = applet.call(method, arguments);
            }
            OUT.println(value == null ? "returned" : "returned " + value);
        } catch (Diverged end) {
            OUT.println("stopped");
        } catch (Throwable trap) {
            String kind = trap.getClass().getName().replaceFirst("^(java\\.lang|jive\\.model)\\.", "");
            OUT.println("trap " + kind + " at " + applet.place(trap));
        }
    }

    /** Ends the oldest read of the bytes for which {@code doRead} is called. */
    private void land(int[] arguments, String bytes) {
        Iterator<WindowRead> reads = begun.iterator();
        while (reads.hasNext()) {
            WindowRead read = reads.next();
            boolean isOver = read.window == arguments[0] && read.offset == arguments[1];
            byte[] came = bytes.equals("-") ? new byte[0] : Text.bytes(bytes.substring(1));
            if (isOver && (arguments[2] != 0 || came.length == read.length)) {
                reads.remove();
                if (arguments[2] == 0) {
                    read.land(came);
                }
                return;
            }
        }
    }

    private void printFields() {
        for (Object value : applet.values()) {
            OUT.println(Text.whole(value, applet.isItself(value)));
        }
    }

    /** Returns the simulation's answer to the native that is about to run. */
    private String answer(String name) {
        String[] entry = next < natives.size() ? natives.get(next) : new String[0];
        if (entry.length == 2 && entry[0].equals(name)) {
            return entry[1];
        }
        OUT.println(name + "(...)");
        throw new Diverged();
    }

    @Override
    public void completed(String name, Object result, Object... arguments) {
        OUT.println(Text.nativeCall(name, result, arguments));
        if (next >= natives.size() || !natives.get(next)[0].equals(name)) {
            throw new Diverged();
        }
        next++;
    }

    @Override
    public int popBuffer() {
        return Integer.parseInt(answer("getFreeBuffer"));
    }

    @Override
    public void fetch(byte[] to, int toOffset, int hostOffset, int length) {
        byte[] bytes = Text.bytes(answer("doHtoLDMA"));
        if (bytes.length != length) {
            OUT.println("doHtoLDMA of " + length + " bytes");
            throw new Diverged();
        }
        System.arraycopy(bytes, 0, to, toOffset, length);
    }

    @Override
    public int microseconds() {
        return Integer.parseInt(answer("currentTime"));
    }

    @Override
    public int immediate() {
        return Integer.parseInt(answer("immediate"));
    }

    @Override
    public int arrivalOffset() {
        return header == null ? -1 : Integer.parseInt(answer("rxOffset"));
    }

    @Override
    public byte[] header() {
        return header;
    }

    // The comparison sees these natives in `completed`, with their bytes.

    @Override
    public void store(byte[] from, int fromOffset, int hostOffset, int length) {
    }

    @Override
    public void send(int channel, byte[] bytes) {
    }

    @Override
    public void describe(int[] offsets, int channel, int length) {
    }

    @Override
    public void carry(int channel, byte[] bytes) {
    }

    @Override
    public void setTimer(int microseconds) {
    }

    @Override
    public void note(int tag, int value) {
    }

    @Override
    public void watch(int window, int offset, int length) {
    }

    @Override
    public void write(int window, int offset, byte[] bytes) {
    }

    @Override
    public void read(WindowRead read) {
        begun.add(read);
    }

    /** Returns a value of the type that a descriptor names. */
    private static Object value(String descriptor, String text) {
        int[] numbers = numbers(text, "_");
        switch (descriptor) {
            case "Z":
                return numbers[0] != 0;
            case "B":
                return (byte) numbers[0];
            case "S":
                return (short) numbers[0];
            case "I":
                return numbers[0];
            default:
                return array(descriptor, numbers);
        }
    }

    private static Object array(String descriptor, int[] numbers) {
        if (descriptor.equals("[I")) {
            return numbers;
        }
        boolean[] booleans = new boolean[numbers.length];
        byte[] bytes = new byte[numbers.length];
        short[] shorts = new short[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            booleans[i] = numbers[i] != 0;
            bytes[i] = (byte) numbers[i];
            shorts[i] = (short) numbers[i];
        }
        return descriptor.equals("[Z") ? booleans : descriptor.equals("[B") ? bytes : (Object) shorts;
    }

    private static String[] list(String text) {
        return text.equals("-") ? new String[0] : text.split(",");
    }

    private static int[] numbers(String text, String separator) {
        String[] words = text.equals("-") ? new String[0] : text.split(separator);
        int[] numbers = new int[words.length];
        for (int i = 0; i < words.length; i++) {
            numbers[i] = Integer.parseInt(words[i]);
        }
        return numbers;
    }

    private static PrintStream out() {
        try {
            return new PrintStream(new java.io.BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16),
                    false, "US-ASCII");
        } catch (java.io.UnsupportedEncodingException error) {
            throw new IllegalStateException(error);
        }
    }
}
