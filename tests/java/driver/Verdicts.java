import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;

/**
 * Says of each class file on standard input, which stands behind its length in four bytes, whether
 * OpenJDK defines and verifies it: a line with {@code ok} or the name of the error.
 */
public final class Verdicts {
    private Verdicts() {
    }

    public static void main(String[] arguments) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
        PrintStream out = new PrintStream(new BufferedOutputStream(System.out, 1 << 16));
        while (true) {
            byte[] bytes;
            try {
                bytes = new byte[in.readInt()];
            } catch (EOFException end) {
                break;
            }
            in.readFully(bytes);
            out.println(verdict(bytes));
        }
        out.flush();
    }

    private static String verdict(byte[] bytes) {
        try {
            // Asking for the constructors links the class, which verifies it, and runs nothing of it.
            new Loader().define(bytes).getDeclaredConstructors();
            return "ok";
        } catch (LinkageError | RuntimeException refused) {
            return refused.getClass().getSimpleName();
        }
    }

    /** A loader for one class, so that each may have any name. */
    private static final class Loader extends ClassLoader {
        Loader() {
        }

        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }
}
