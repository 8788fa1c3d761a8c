import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * Says of each class file that standard input names whether OpenJDK defines and verifies it: a line
 * with {@code ok} or the name of the error.
 */
public final class Verdicts {
    private Verdicts() {
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String path = in.readLine(); path != null; path = in.readLine()) {
            System.out.println(verdict(Files.readAllBytes(Paths.get(path))));
        }
    }

    private static String verdict(byte[] bytes) {
        try {
            Class<?> defined = new Loader().define(bytes);
            // Verification happens on the way to initialization.
            Class.forName(defined.getName(), true, defined.getClassLoader());
            return "ok";
        } catch (ExceptionInInitializerError afterVerification) {
            return "ok";
        } catch (LinkageError | ClassNotFoundException | RuntimeException refused) {
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
