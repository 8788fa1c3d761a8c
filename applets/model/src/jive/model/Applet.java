package jive.model;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import unet.Nic;

/**
 * One loaded applet. Each has its own copy of the class, so that two endpoints with the same applet
 * share no static field.
 */
public final class Applet {
    private static final ThreadLocal<Applet> RUNNING = new ThreadLocal<>();

    private final Natives natives;
    private final AppletClass source;
    private final Class<?> type;
    private final byte[] rxBuf;
    private final Set<Integer> awaited = new HashSet<>();
    private Object instance;

    /**
     * Defines the class, and sets {@code RxBuf} and the fields of {@code state}. No code of the class
     * runs yet. The keys of {@code state} are the positions of fields in the class file.
     */
    Applet(byte[] classFile, Natives natives, Map<Integer, Object> state) throws IOException {
        requireModel();
        this.natives = natives;
        source = new AppletClass(classFile, state.keySet());
        awaited.addAll(state.keySet());
        type = new Loader().define(source);
        rxBuf = new byte[natives.rights.maxPacket];
        if (hasRxBuf() && isRxBufStatic()) {
            set(field("RxBuf"), null, rxBuf);
        }
        for (Map.Entry<Integer, Object> entry : state.entrySet()) {
            AppletClass.FieldInfo field = source.fields.get(entry.getKey());
            set(find(field.name, field.descriptor), null, entry.getValue());
        }
    }

    /** Returns the bytes of a class's file. */
    static byte[] bytesOf(Class<?> type) throws IOException {
        String path = "/" + type.getName().replace('.', '/') + ".class";
        try (InputStream in = type.getResourceAsStream(path)) {
            if (in == null) {
                throw new IOException("no class file " + path + " on the class path");
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            byte[] part = new byte[4096];
            for (int read = in.read(part); read >= 0; read = in.read(part)) {
                bytes.write(part, 0, read);
            }
            return bytes.toByteArray();
        }
    }

    /** Returns the positions and values of fields that are given by name. */
    static Map<Integer, Object> positions(byte[] classFile, Map<String, Object> state) throws IOException {
        AppletClass source = new AppletClass(classFile, new HashSet<Integer>());
        Map<Integer, Object> found = new TreeMap<>();
        for (int i = 0; i < source.fields.size(); i++) {
            AppletClass.FieldInfo field = source.fields.get(i);
            if (field.isStatic && state.containsKey(field.name)) {
                found.put(i, state.get(field.name));
            }
        }
        if (found.size() != state.size()) {
            throw new IllegalArgumentException("no static field for each of " + state.keySet());
        }
        return found;
    }

    /** Runs the static initializer, if the class has one. */
    void initialize() {
        if (source.initializer != null) {
            call(source.initializer);
        }
    }

    /** Makes the instance with the constructor. */
    void construct() {
        Natives outer = begin();
        try {
            Constructor<?> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            instance = constructor.newInstance();
        } catch (InvocationTargetException trap) {
            throw Applet.<RuntimeException>unchecked(trap.getCause());
        } catch (ReflectiveOperationException error) {
            throw new IllegalArgumentException("no constructor without parameters", error);
        } finally {
            end(outer);
        }
    }

    /** Copies a packet into {@code RxBuf}, and sets the field, if the applet has it. */
    void receive(byte[] packet) {
        if (!hasRxBuf()) {
            return;
        }
        System.arraycopy(packet, 0, rxBuf, 0, packet.length);
        set(field("RxBuf"), instance, rxBuf);
    }

    /** Returns whether the class has a method. */
    boolean has(String name, int parameters) {
        return method(name, parameters) != null;
    }

    /**
     * Calls a method, with {@code int} arguments. Returns null for {@code void}. A trap leaves this
     * method as the exception that the applet has thrown.
     */
    Object call(String name, int... arguments) {
        Object[] boxed = new Object[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            boxed[i] = arguments[i];
        }
        Method method = method(name, arguments.length);
        if (method == null) {
            throw new IllegalArgumentException("the applet has no method " + name);
        }
        Natives outer = begin();
        try {
            return method.invoke(instance, boxed);
        } catch (InvocationTargetException trap) {
            throw Applet.<RuntimeException>unchecked(trap.getCause());
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        } finally {
            end(outer);
        }
    }

    /** Returns the value of a field: an {@code Integer}, {@code Byte}, {@code byte[]} and so on. */
    public Object get(String name) {
        return get(field(name));
    }

    /** Returns the values of all fields, in the order of the class file. */
    List<Object> values() {
        List<Object> values = new ArrayList<>();
        for (AppletClass.FieldInfo field : source.fields) {
            values.add(get(find(field.name, field.descriptor)));
        }
        return values;
    }

    /** Returns whether a value is the applet itself. */
    boolean isItself(Object value) {
        return value == instance;
    }

    /**
     * Returns the method and the source line of a trap: {@code doRx line 12}. Without line numbers
     * there is only the method.
     */
    String place(Throwable trap) {
        String className = source.name.replace('/', '.');
        for (StackTraceElement frame : trap.getStackTrace()) {
            String method = frame.getMethodName();
            if (frame.getClassName().equals(className) && !source.natives.contains(method)) {
                String name = method.equals(source.initializer) ? "<clinit>" : Text.ascii(method);
                int line = frame.getLineNumber();
                return line > 0 ? name + " line " + line : name;
            }
        }
        return "?";
    }

    /** Returns {@code old} for the first store to a field of the state, and then {@code value}. */
    public static int stored(int field, int value, int old) {
        return RUNNING.get().awaited.remove(field) ? old : value;
    }

    /** Returns {@code old} for the first store to a field of the state, and then {@code value}. */
    public static Object stored(int field, Object value, Object old) {
        return RUNNING.get().awaited.remove(field) ? old : value;
    }

    static void underConstruction(Object instance) {
        Applet applet = RUNNING.get();
        if (applet.hasRxBuf() && !applet.isRxBufStatic()) {
            set(applet.field("RxBuf"), instance, applet.rxBuf);
        }
    }

    private Natives begin() {
        RUNNING.set(this);
        return natives.begin();
    }

    private static void end(Natives outer) {
        RUNNING.remove();
        Natives.end(outer);
    }

    /** Returns whether packets arrive in {@code RxBuf}: the NIC does not receive directly. */
    private boolean hasRxBuf() {
        return natives.rights.header == 0;
    }

    private boolean isRxBufStatic() {
        return Modifier.isStatic(field("RxBuf").getModifiers());
    }

    private Method method(String name, int parameters) {
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals(name) && method.getParameterTypes().length == parameters) {
                method.setAccessible(true);
                return method;
            }
        }
        return null;
    }

    private Field field(String name) {
        for (Field field : type.getDeclaredFields()) {
            if (field.getName().equals(name)) {
                field.setAccessible(true);
                return field;
            }
        }
        throw new IllegalArgumentException("the applet has no field " + name);
    }

    private Field find(String name, String descriptor) {
        for (Field field : type.getDeclaredFields()) {
            if (field.getName().equals(name) && descriptor.equals(descriptor(field.getType()))) {
                field.setAccessible(true);
                return field;
            }
        }
        throw new IllegalArgumentException("the applet has no field " + name);
    }

    private static String descriptor(Class<?> type) {
        // The name of the type of an empty array is the descriptor of the array.
        return java.lang.reflect.Array.newInstance(type, 0).getClass().getName().substring(1).replace('.', '/');
    }

    private Object get(Field field) {
        try {
            return field.get(instance);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    private static void set(Field field, Object instance, Object value) {
        try {
            field.set(instance, value);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Throws any exception without declaring it. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException unchecked(Throwable trap) throws T {
        throw (T) trap;
    }

    /** Fails if the stub, which has no bodies, is found in place of the model's natives. */
    private static void requireModel() {
        for (Method method : Nic.class.getDeclaredMethods()) {
            if (Modifier.isNative(method.getModifiers())) {
                throw new IllegalStateException("the stub unet/Nic.class comes before the model on the class path: "
                        + "delete it, or put jive-model.jar first");
            }
        }
    }

    private static final class Loader extends ClassLoader {
        Loader() {
            super(Applet.class.getClassLoader());
        }

        Class<?> define(AppletClass source) {
            Class<?> type = defineClass(source.name.replace('/', '.'), source.bytes, 0, source.bytes.length);
            resolveClass(type);
            return type;
        }
    }
}
