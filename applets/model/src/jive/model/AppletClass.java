package jive.model;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * An applet's class file, with what OpenJDK needs to run it as a NIC does. The code of
 * {@code doTx}, {@code doRx} and all methods that they call stays as it is.
 *
 * <ul>
 * <li>The static initializer becomes an ordinary method, so that {@code RxBuf} and the scenario's
 * state are set before it runs. Static fields are no longer final, because only {@code <clinit>}
 * may assign those.
 * <li>A native method of the class gets a body, which calls {@link unet.Nic}.
 * <li>If {@code RxBuf} is an instance field, the class extends {@link Hook}, which sets it.
 * <li>The initializer's stores to fields of the scenario's state call a method of the class, which
 * ignores the first store.
 * </ul>
 */
final class AppletClass {
    /** A field of the class. */
    static final class FieldInfo {
        final String name;
        final String descriptor;
        final boolean isStatic;

        FieldInfo(String name, String descriptor, boolean isStatic) {
            this.name = name;
            this.descriptor = descriptor;
            this.isStatic = isStatic;
        }
    }

    private static final int STATIC = 0x0008;
    private static final int FINAL = 0x0010;
    private static final int NATIVE = 0x0100;
    private static final int PUTSTATIC = 179;
    private static final int INVOKESPECIAL = 183;
    private static final int INVOKESTATIC = 184;

    private static final String INITIALIZER = "<clinit>";

    /** The name of the class, with slashes. */
    final String name;

    /** The rewritten class file. */
    final byte[] bytes;

    /** The name of the method that was the static initializer, or null. */
    final String initializer;

    /** The names of the methods that were native. */
    final Set<String> natives = new HashSet<>();

    /** The fields, in the order of the class file. */
    final List<FieldInfo> fields = new ArrayList<>();

    private final ByteBuffer file;
    private final Constants constants;

    /** Rewrites a class file. {@code state} has the numbers of the fields that the scenario sets. */
    AppletClass(byte[] original, Set<Integer> state) throws IOException {
        file = ByteBuffer.wrap(original);
        constants = new Constants(file);
        file.position(constants.end());
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(rest);
        out.writeShort(file.getShort());
        int self = file.getShort() & 0xffff;
        name = constants.className(self);
        int superAt = out.size() + 2;
        out.writeShort(self);
        int superIndex = file.getShort() & 0xffff;
        out.writeShort(superIndex);
        int interfaces = copyShort(out);
        for (int i = 0; i < interfaces; i++) {
            copyShort(out);
        }
        readFields(out);
        boolean isHooked = false;
        for (FieldInfo field : fields) {
            isHooked |= field.name.equals("RxBuf") && !field.isStatic;
        }
        int hook = isHooked ? constants.addMethod("jive/model/Hook", "<init>", "()V") : 0;
        int hookClass = isHooked ? constants.addClass("jive/model/Hook") : superIndex;
        initializer = copyMethods(out, hook, state);
        copyAttributes(out);
        byte[] behind = rest.toByteArray();
        ByteBuffer.wrap(behind).putShort(superAt, (short) hookClass);

        ByteArrayOutputStream all = new ByteArrayOutputStream();
        DataOutputStream whole = new DataOutputStream(all);
        whole.write(original, 0, 8);
        constants.write(whole);
        whole.write(behind);
        bytes = all.toByteArray();
    }

    private int copyShort(DataOutputStream out) throws IOException {
        int value = file.getShort() & 0xffff;
        out.writeShort(value);
        return value;
    }

    private void copyAttributes(DataOutputStream out) throws IOException {
        int count = copyShort(out);
        for (int i = 0; i < count; i++) {
            copyShort(out);
            out.write(attribute());
        }
    }

    /** Returns the length and the content of the attribute whose name was read. */
    private byte[] attribute() {
        int length = file.getInt(file.position());
        byte[] bytes = new byte[4 + length];
        file.get(bytes);
        return bytes;
    }

    private void readFields(DataOutputStream out) throws IOException {
        int count = copyShort(out);
        for (int i = 0; i < count; i++) {
            int access = file.getShort();
            boolean isStatic = (access & STATIC) != 0;
            out.writeShort(isStatic ? access & ~FINAL : access);
            String fieldName = constants.text(copyShort(out));
            String descriptor = constants.text(copyShort(out));
            fields.add(new FieldInfo(fieldName, descriptor, isStatic));
            copyAttributes(out);
        }
    }

    private String copyMethods(DataOutputStream out, int hook, Set<Integer> state) throws IOException {
        int count = file.getShort() & 0xffff;
        out.writeShort(count + state.size());
        String found = null;
        int[] stores = new int[fields.size()];
        for (int field : state) {
            stores[field] = writeStore(out, field);
        }
        for (int i = 0; i < count; i++) {
            int access = file.getShort();
            int nameIndex = file.getShort() & 0xffff;
            int descriptorIndex = file.getShort() & 0xffff;
            String method = constants.text(nameIndex);
            String descriptor = constants.text(descriptorIndex);
            if (method.equals(INITIALIZER)) {
                // Only a static initializer has the name `<clinit>`, because Java names contain no `<`.
                found = "initializer of the model";
                access = STATIC;
                nameIndex = constants.addText(found);
            }
            boolean isNative = (access & NATIVE) != 0;
            out.writeShort(access & ~NATIVE);
            out.writeShort(nameIndex);
            out.writeShort(descriptorIndex);
            int attributes = file.getShort() & 0xffff;
            out.writeShort(isNative ? attributes + 1 : attributes);
            for (int attribute = 0; attribute < attributes; attribute++) {
                int attributeName = copyShort(out);
                byte[] content = attribute();
                if (constants.text(attributeName).equals("Code")) {
                    if (method.equals(INITIALIZER)) {
                        redirectStores(content, stores);
                    } else if (method.equals("<init>") && hook != 0) {
                        redirectSuper(content, hook);
                    }
                }
                out.write(content);
            }
            if (isNative) {
                natives.add(method);
                writeNative(out, method, descriptor, (access & STATIC) != 0);
            }
        }
        return found;
    }

    /** Writes the Code attribute of a native method, which calls the method of {@link unet.Nic}. */
    private void writeNative(DataOutputStream out, String method, String descriptor, boolean isStatic)
            throws IOException {
        ByteArrayOutputStream code = new ByteArrayOutputStream();
        DataOutputStream insns = new DataOutputStream(code);
        int local = isStatic ? 0 : 1;
        int end = descriptor.indexOf(')');
        for (int i = 1; i < end; i++) {
            boolean isArray = descriptor.charAt(i) == '[';
            insns.writeByte(isArray ? 25 : 21); // aload, iload
            insns.writeByte(local++);
            i += isArray ? 1 : 0;
        }
        insns.writeByte(INVOKESTATIC);
        insns.writeShort(constants.addMethod("unet/Nic", method, descriptor));
        char result = descriptor.charAt(end + 1);
        insns.writeByte(result == 'V' ? 177 : result == '[' ? 176 : 172); // return, areturn, ireturn
        writeCode(out, local, code.toByteArray());
    }

    /**
     * Writes a method that stores a value in a field of the state, except for the first time. Returns
     * its constant.
     */
    private int writeStore(DataOutputStream out, int number) throws IOException {
        FieldInfo field = fields.get(number);
        boolean isArray = field.descriptor.charAt(0) == '[';
        String type = isArray ? field.descriptor : "I";
        String method = "store " + number;
        ByteArrayOutputStream code = new ByteArrayOutputStream();
        DataOutputStream insns = new DataOutputStream(code);
        insns.writeByte(17); // sipush
        insns.writeShort(number);
        insns.writeByte(isArray ? 42 : 26); // aload_0, iload_0
        insns.writeByte(178); // getstatic
        insns.writeShort(constants.addField(name, field.name, field.descriptor));
        String general = isArray ? "Ljava/lang/Object;" : "I";
        String choose = "(I" + general + general + ")" + general;
        insns.writeByte(INVOKESTATIC);
        insns.writeShort(constants.addMethod("jive/model/Applet", "stored", choose));
        if (isArray) {
            insns.writeByte(192); // checkcast
            insns.writeShort(constants.addClass(type));
        }
        insns.writeByte(PUTSTATIC);
        insns.writeShort(constants.addField(name, field.name, field.descriptor));
        insns.writeByte(177); // return
        out.writeShort(STATIC);
        out.writeShort(constants.addText(method));
        out.writeShort(constants.addText("(" + type + ")V"));
        out.writeShort(1);
        writeCode(out, 1, code.toByteArray());
        return constants.addMethod(name, method, "(" + type + ")V");
    }

    private void writeCode(DataOutputStream out, int locals, byte[] code) throws IOException {
        out.writeShort(constants.addText("Code"));
        out.writeInt(12 + code.length);
        out.writeShort(Math.max(locals, 3));
        out.writeShort(locals);
        out.writeInt(code.length);
        out.write(code);
        out.writeShort(0);
        out.writeShort(0);
    }

    /** Makes each store to a field of the state call the method that {@link #writeStore} wrote. */
    private void redirectStores(byte[] content, int[] stores) throws IOException {
        ByteBuffer code = ByteBuffer.wrap(content);
        for (int at : positions(code, PUTSTATIC)) {
            int constant = code.getShort(at + 1) & 0xffff;
            for (int field = 0; field < stores.length; field++) {
                FieldInfo info = fields.get(field);
                if (stores[field] != 0 && constants.isMember(constant, name, info.name, info.descriptor)) {
                    code.put(at, (byte) INVOKESTATIC);
                    code.putShort(at + 1, (short) stores[field]);
                }
            }
        }
    }

    /** Makes a constructor call the constructor of {@link Hook}. */
    private void redirectSuper(byte[] content, int hook) throws IOException {
        ByteBuffer code = ByteBuffer.wrap(content);
        for (int at : positions(code, INVOKESPECIAL)) {
            int constant = code.getShort(at + 1) & 0xffff;
            if (constants.isMember(constant, "java/lang/Object", "<init>", "()V")) {
                code.putShort(at + 1, (short) hook);
            }
        }
    }

    /** Returns where the instructions with an opcode are in a Code attribute (JVMS 4.7.3, 6.5). */
    private static List<Integer> positions(ByteBuffer content, int wanted) {
        final int start = 12;
        int length = content.getInt(8);
        List<Integer> found = new ArrayList<>();
        for (int pc = 0; pc < length; ) {
            int at = start + pc;
            int opcode = content.get(at) & 0xff;
            if (opcode == wanted) {
                found.add(at);
            }
            int padded = start + (pc & ~3) + 4;
            if (opcode == 170) { // tableswitch
                int low = content.getInt(padded + 4);
                int high = content.getInt(padded + 8);
                pc = padded - start + 12 + 4 * (high - low + 1);
            } else if (opcode == 171) { // lookupswitch
                pc = padded - start + 8 + 8 * content.getInt(padded + 4);
            } else if (opcode == 196) { // wide
                pc += (content.get(at + 1) & 0xff) == 132 ? 6 : 4;
            } else {
                pc += length(opcode);
            }
        }
        return found;
    }

    /** Returns the length of an instruction whose length is fixed. */
    private static int length(int opcode) {
        if (opcode == 16 || opcode == 18 || (opcode >= 21 && opcode <= 25)
                || (opcode >= 54 && opcode <= 58) || opcode == 169 || opcode == 188) {
            return 2;
        }
        if (opcode == 17 || opcode == 19 || opcode == 20 || opcode == 132
                || (opcode >= 153 && opcode <= 168) || (opcode >= 178 && opcode <= 184)
                || opcode == 187 || opcode == 189 || opcode == 192 || opcode == 193
                || opcode == 198 || opcode == 199) {
            return 3;
        }
        if (opcode == 197) {
            return 4;
        }
        return opcode == 185 || opcode == 186 || opcode == 200 || opcode == 201 ? 5 : 1;
    }
}
