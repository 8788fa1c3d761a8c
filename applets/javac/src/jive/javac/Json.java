package jive.javac;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A value of JSON (RFC 8259), as far as verdicts need it: numbers are read as {@code int}. */
final class Json {
    /** The text is not JSON. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed(int offset) {
            super("the verdict is malformed at offset " + offset);
        }
    }

    /** A {@code Map}, a {@code List}, a {@code String}, a {@code Double}, a {@code Boolean} or null. */
    private final Object value;

    private Json(Object value) {
        this.value = value;
    }

    static Json parse(String text) throws Malformed {
        Reader reader = new Reader(text);
        Json json = new Json(reader.value(0));
        reader.space();
        if (reader.offset != text.length()) {
            throw new Malformed(reader.offset);
        }
        return json;
    }

    private Object member(String name) {
        return value instanceof Map ? ((Map<?, ?>) value).get(name) : null;
    }

    boolean has(String name) {
        return member(name) != null;
    }

    /** Returns a member that is a text, or the empty text. */
    String text(String name) {
        return member(name) instanceof String ? (String) member(name) : "";
    }

    /** Returns a member that is a number, or 0. */
    int number(String name) {
        return member(name) instanceof Double ? ((Double) member(name)).intValue() : 0;
    }

    /** Returns the elements of a member that is a list, or none. */
    List<Json> list(String name) {
        List<Json> elements = new ArrayList<>();
        if (member(name) instanceof List) {
            for (Object element : (List<?>) member(name)) {
                elements.add(new Json(element));
            }
        }
        return elements;
    }

    private static final class Reader {
        /** Verdicts nest a few values; the bound keeps the stack small. */
        private static final int DEPTH_MAX = 32;

        private final String text;
        private int offset;

        Reader(String text) {
            this.text = text;
        }

        private Malformed malformed() {
            return new Malformed(offset);
        }

        private void space() {
            while (offset < text.length() && " \t\r\n".indexOf(text.charAt(offset)) >= 0) {
                offset++;
            }
        }

        private char next() throws Malformed {
            if (offset == text.length()) {
                throw malformed();
            }
            return text.charAt(offset++);
        }

        private boolean skips(char wanted) {
            space();
            if (offset < text.length() && text.charAt(offset) == wanted) {
                offset++;
                return true;
            }
            return false;
        }

        private void expect(char wanted) throws Malformed {
            if (!skips(wanted)) {
                throw malformed();
            }
        }

        private Object word(String word, Object meaning) throws Malformed {
            if (!text.startsWith(word, offset)) {
                throw malformed();
            }
            offset += word.length();
            return meaning;
        }

        private Object value(int depth) throws Malformed {
            space();
            if (depth > DEPTH_MAX || offset == text.length()) {
                throw malformed();
            }
            switch (text.charAt(offset)) {
                case '{':
                    return object(depth);
                case '[':
                    return array(depth);
                case '"':
                    return string();
                case 't':
                    return word("true", Boolean.TRUE);
                case 'f':
                    return word("false", Boolean.FALSE);
                case 'n':
                    return word("null", null);
                default:
                    return number();
            }
        }

        private Map<String, Object> object(int depth) throws Malformed {
            Map<String, Object> members = new HashMap<>();
            expect('{');
            if (skips('}')) {
                return members;
            }
            do {
                space();
                String name = string();
                expect(':');
                members.put(name, value(depth + 1));
            } while (skips(','));
            expect('}');
            return members;
        }

        private List<Object> array(int depth) throws Malformed {
            List<Object> elements = new ArrayList<>();
            expect('[');
            if (skips(']')) {
                return elements;
            }
            do {
                elements.add(value(depth + 1));
            } while (skips(','));
            expect(']');
            return elements;
        }

        private Double number() throws Malformed {
            int start = offset;
            while (offset < text.length() && "+-.0123456789eE".indexOf(text.charAt(offset)) >= 0) {
                offset++;
            }
            try {
                return Double.valueOf(text.substring(start, offset));
            } catch (NumberFormatException none) {
                throw malformed();
            }
        }

        private String string() throws Malformed {
            expect('"');
            StringBuilder read = new StringBuilder();
            while (true) {
                char character = next();
                if (character == '"') {
                    return read.toString();
                }
                read.append(character == '\\' ? escaped() : character);
            }
        }

        private char escaped() throws Malformed {
            char character = next();
            switch (character) {
                case 'b':
                    return '\b';
                case 'f':
                    return '\f';
                case 'n':
                    return '\n';
                case 'r':
                    return '\r';
                case 't':
                    return '\t';
                case 'u':
                    return unicode();
                default:
                    return character;
            }
        }

        private char unicode() throws Malformed {
            int code = 0;
            for (int digit = 0; digit < 4; digit++) {
                int value = Character.digit(next(), 16);
                if (value < 0) {
                    throw malformed();
                }
                code = code << 4 | value;
            }
            return (char) code;
        }
    }
}
