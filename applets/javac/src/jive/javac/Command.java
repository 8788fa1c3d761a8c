package jive.javac;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.tools.Diagnostic;

/** Runs {@code jive verify} on a class file, which it gets through its standard input. */
final class Command {
    private final String command;
    private final boolean isClassOnly;
    private final boolean hasLint;

    Command(String command, boolean isClassOnly, boolean hasLint) {
        this.command = command;
        this.isClassOnly = isClassOnly;
        this.hasLint = hasLint;
    }

    /** Returns the faults of a class, and the warnings about it if they are wanted. */
    List<Fault> judge(Written written) throws IOException, Json.Malformed {
        List<String> words = new ArrayList<>(List.of(command, "verify", "--format", "json"));
        if (isClassOnly) {
            words.add("--class-only");
        }
        if (hasLint) {
            words.add("--lint");
        }
        if (written.sourceFolder != null) {
            // Otherwise another source of the same name could be quoted.
            words.add("--source-path");
            words.add(written.sourceFolder.toString());
        }
        words.add("-");
        Process process = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(written.bytes);
        }
        String text;
        try (InputStream out = process.getInputStream()) {
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            out.transferTo(read);
            text = new String(read.toByteArray(), StandardCharsets.UTF_8);
        }
        if (text.isEmpty()) {
            throw new IOException("`" + command + " verify` printed no verdict");
        }
        return faults(Json.parse(text));
    }

    private static List<Fault> faults(Json verdict) throws IOException {
        List<Fault> faults = new ArrayList<>();
        switch (verdict.text("verdict")) {
            case "accepted":
                for (Json warning : verdict.list("warnings")) {
                    faults.add(Fault.of(Diagnostic.Kind.WARNING, warning));
                }
                return faults;
            case "rejected":
                for (Json rejection : verdict.list("rejections")) {
                    faults.add(Fault.of(Diagnostic.Kind.ERROR, rejection));
                }
                return faults;
            default:
                throw new IOException(verdict.text("message"));
        }
    }
}
