package jive.model;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The constant pool of a class file (JVMS 4.4), with constants added at its end. */
final class Constants {
    private final ByteBuffer file;
    private final int[] offsets;
    private final int end;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream added = new DataOutputStream(bytes);
    private int count;

    Constants(ByteBuffer file) {
        this.file = file;
        count = file.getShort(8) & 0xffff;
        offsets = new int[count];
        int at = 10;
        for (int index = 1; index < count; index++) {
            offsets[index] = at;
            int tag = file.get(at);
            switch (tag) {
                case 1:
                    at += 3 + (file.getShort(at + 1) & 0xffff);
                    break;
                case 5:
                case 6:
                    at += 9;
                    index++;
                    break;
                case 7:
                case 8:
                case 16:
                case 19:
                case 20:
                    at += 3;
                    break;
                case 15:
                    at += 4;
                    break;
                default:
                    at += 5;
                    break;
            }
        }
        end = at;
    }

    /** Returns the offset behind the last constant of the file. */
    int end() {
        return end;
    }

    /** Writes the number of constants and all constants. */
    void write(DataOutputStream out) throws IOException {
        out.writeShort(count);
        out.write(file.array(), 10, end - 10);
        bytes.writeTo(out);
    }

    /** Returns a text. */
    String text(int index) throws IOException {
        int at = offsets[index] + 1;
        int length = 2 + (file.getShort(at) & 0xffff);
        return new DataInputStream(new ByteArrayInputStream(file.array(), at, length)).readUTF();
    }

    /** Returns the name of a class. */
    String className(int index) throws IOException {
        return text(first(index));
    }

    /** Returns the index that a constant starts with. */
    int first(int index) {
        return file.getShort(offsets[index] + 1) & 0xffff;
    }

    /** Returns the second index of a constant that is a pair. */
    int second(int index) {
        return file.getShort(offsets[index] + 3) & 0xffff;
    }

    /** Returns whether a constant refers to this member. */
    boolean isMember(int index, String owner, String name, String descriptor) throws IOException {
        int nameAndType = second(index);
        return className(first(index)).equals(owner)
                && text(first(nameAndType)).equals(name)
                && text(second(nameAndType)).equals(descriptor);
    }

    /** Adds a text. */
    int addText(String text) throws IOException {
        added.writeByte(1);
        added.writeUTF(text);
        return next();
    }

    /** Adds a class. */
    int addClass(String name) throws IOException {
        int text = addText(name);
        added.writeByte(7);
        added.writeShort(text);
        return next();
    }

    /** Adds a field. */
    int addField(String owner, String name, String descriptor) throws IOException {
        return addMember(9, owner, name, descriptor);
    }

    /** Adds a method of a class. */
    int addMethod(String owner, String name, String descriptor) throws IOException {
        return addMember(10, owner, name, descriptor);
    }

    private int addMember(int tag, String owner, String name, String descriptor) throws IOException {
        int type = addClass(owner);
        int nameAndType = addPair(12, addText(name), addText(descriptor));
        return addPair(tag, type, nameAndType);
    }

    private int addPair(int tag, int first, int second) throws IOException {
        added.writeByte(tag);
        added.writeShort(first);
        added.writeShort(second);
        return next();
    }

    private int next() {
        if (count == 0xffff) {
            throw new IllegalArgumentException("the constant pool of the applet has no room");
        }
        return count++;
    }
}
