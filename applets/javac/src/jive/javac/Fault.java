package jive.javac;

import javax.tools.Diagnostic;

/** A fault of a class or a warning about it, as {@code jive verify} tells it. */
final class Fault {
    final Diagnostic.Kind kind;
    /** The line in the source, or 0. */
    final int line;
    final String message;

    private Fault(Diagnostic.Kind kind, int line, String message) {
        this.kind = kind;
        this.line = line;
        this.message = message;
    }

    /** Reads the fault from its JSON. The first line is the fault; the next ones are what it compares and the hint. */
    static Fault of(Diagnostic.Kind kind, Json json) {
        StringBuilder message = new StringBuilder();
        message.append('[').append(json.text("code")).append("] ").append(json.text("message"));
        if (json.has("expected") && json.has("found")) {
            message.append("\n  expected ").append(json.text("expected"));
            message.append(", found ").append(json.text("found"));
        }
        if (json.has("help")) {
            message.append("\n  help: ").append(json.text("help"));
        }
        return new Fault(kind, json.number("line"), message.toString());
    }
}
