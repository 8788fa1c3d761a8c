package jive.model;

/** How the model shows values: as {@code jive packet} does. */
final class Text {
    private static final String DIGITS = "0123456789abcdef";

    private Text() {
    }

    /** Returns a text with each character that is not printable ASCII as a Unicode escape. */
    static String ascii(String text) {
        StringBuilder ascii = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (c >= ' ' && c <= '~') {
                ascii.append(c);
            } else {
                ascii.append(String.format("\\u%04x", (int) c));
            }
        }
        return ascii.toString();
    }

    /** Returns bytes as hexadecimal digits. */
    static String hex(byte[] bytes, int offset, int length) {
        StringBuilder text = new StringBuilder(2 * length);
        for (int i = offset; i < offset + length; i++) {
            text.append(DIGITS.charAt(bytes[i] >> 4 & 15)).append(DIGITS.charAt(bytes[i] & 15));
        }
        return text.toString();
    }

    /** Returns the bytes that hexadecimal digits stand for. */
    static byte[] bytes(String hex) {
        byte[] bytes = new byte[hex.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        }
        return bytes;
    }

    /** Returns a native's call with its result, and the bytes or offsets that it reads or moves. */
    static String nativeCall(String name, Object result, Object[] arguments) {
        StringBuilder text = new StringBuilder(name).append('(');
        for (int i = 0; i < arguments.length; i++) {
            text.append(i == 0 ? "" : ", ").append(value(arguments[i]));
        }
        text.append(')');
        if (result != null) {
            text.append(" = ").append(value(result));
        }
        if (arguments.length > 0 && arguments[0] instanceof int[]) {
            text.append(':');
            elements(text, (int[]) arguments[0]);
        } else if (arguments.length > 0 && arguments[0] instanceof byte[]) {
            // With three arguments the bytes begin with the array; the last argument is their number.
            int start = arguments.length == 3 ? 0 : (Integer) arguments[1];
            int length = (Integer) arguments[arguments.length - 1];
            text.append(": ").append(hex((byte[]) arguments[0], start, length));
        }
        return text.toString();
    }

    /** Returns a number, or an array as {@code byte[16]}. */
    private static String value(Object value) {
        if (value instanceof byte[]) {
            return "byte[" + ((byte[]) value).length + "]";
        }
        if (value instanceof int[]) {
            return "int[" + ((int[]) value).length + "]";
        }
        return String.valueOf(value);
    }

    /** Returns a field's value with all elements of an array. {@code isItself} says that it is the applet. */
    static String whole(Object value, boolean isItself) {
        if (value == null) {
            return "null";
        }
        if (isItself) {
            return "this";
        }
        StringBuilder text = new StringBuilder();
        if (value instanceof byte[]) {
            byte[] bytes = (byte[]) value;
            text.append("byte[").append(bytes.length).append("] ").append(hex(bytes, 0, bytes.length));
        } else if (value instanceof int[]) {
            text.append("int[").append(((int[]) value).length).append(']');
            elements(text, (int[]) value);
        } else if (value instanceof short[]) {
            text.append("short[").append(((short[]) value).length).append(']');
            for (short element : (short[]) value) {
                text.append(' ').append(element);
            }
        } else if (value instanceof boolean[]) {
            text.append("boolean[").append(((boolean[]) value).length).append(']');
            for (boolean element : (boolean[]) value) {
                text.append(element ? " 1" : " 0");
            }
        } else if (value instanceof Boolean) {
            text.append((Boolean) value ? 1 : 0);
        } else {
            text.append(value);
        }
        return text.toString();
    }

    private static void elements(StringBuilder text, int[] elements) {
        for (int element : elements) {
            text.append(' ').append(element);
        }
    }
}
