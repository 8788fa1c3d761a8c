import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the calls that standard input lists, one list of results a line: OpenJDK's side of the
 * comparison. {@code calls.txt} explains the input, {@code openjdk.rs} is the other side.
 */
public final class Driver {
    private static final int[] BOUNDARIES = {
        Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -1, 0, 1, 31, 32, 33, Integer.MAX_VALUE,
    };

    /** The classes by name. */
    private final Map<String, Class<?>> classes = new HashMap<>();

    private Driver() {
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        Driver driver = new Driver();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            line = line.trim();
            if (!line.isEmpty() && !line.startsWith("#")) {
                out.print(line + ":" + driver.results(line) + "\n");
            }
        }
        out.flush();
    }

    private String results(String line) {
        String[] words = line.split(" +");
        int first = words[0].equals("fold") ? 1 : 0;
        List<int[]> calls = new ArrayList<>();
        calls.add(new int[0]);
        for (int i = first + 2; i < words.length; i++) {
            calls = extended(calls, values(words[i]));
        }
        StringBuilder shown = new StringBuilder();
        int folded = 0;
        for (int[] arguments : calls) {
            String result = result(words[first], words[first + 1], arguments);
            if (first == 0) {
                shown.append(' ').append(result);
            } else {
                folded = folded * 31 + Integer.parseInt(result);
            }
        }
        return first == 0 ? shown.toString() : " " + folded;
    }

    /** Returns the values that an argument of a line stands for. */
    private static int[] values(String word) {
        if (word.equals("*")) {
            return BOUNDARIES;
        }
        int dots = word.indexOf("..");
        int low = Integer.parseInt(dots < 0 ? word : word.substring(0, dots));
        int high = dots < 0 ? low : Integer.parseInt(word.substring(dots + 2));
        int[] values = new int[high - low + 1];
        for (int i = 0; i < values.length; i++) {
            values[i] = low + i;
        }
        return values;
    }

    /** Returns every list of {@code lists} with every value behind it. */
    private static List<int[]> extended(List<int[]> lists, int[] values) {
        List<int[]> extended = new ArrayList<>();
        for (int[] list : lists) {
            for (int value : values) {
                int[] longer = new int[list.length + 1];
                System.arraycopy(list, 0, longer, 0, list.length);
                longer[list.length] = value;
                extended.add(longer);
            }
        }
        return extended;
    }

    private String result(String className, String methodName, int[] values) {
        try {
            for (Method method : loaded(className).getDeclaredMethods()) {
                if (method.getName().equals(methodName)) {
                    method.setAccessible(true);
                    return shown(method.invoke(null, arguments(method.getParameterTypes(), values)));
                }
            }
            throw new IllegalArgumentException(className + " has no method " + methodName);
        } catch (InvocationTargetException trap) {
            return shown(trap.getCause());
        } catch (ExceptionInInitializerError trap) {
            return shown(trap.getCause());
        } catch (ReflectiveOperationException mistake) {
            throw new IllegalArgumentException(mistake);
        }
    }

    /** Returns the class, its static initializer and its constructor run once. */
    private Class<?> loaded(String name) throws ReflectiveOperationException {
        Class<?> type = classes.get(name);
        if (type == null) {
            type = Class.forName(name);
            for (Constructor<?> constructor : type.getDeclaredConstructors()) {
                if (constructor.getParameterTypes().length == 0) {
                    constructor.setAccessible(true);
                    constructor.newInstance();
                }
            }
            classes.put(name, type);
        }
        return type;
    }

    private static Object[] arguments(Class<?>[] types, int[] values) {
        if (types.length != values.length) {
            throw new IllegalArgumentException(types.length + " arguments expected, found " + values.length);
        }
        Object[] arguments = new Object[values.length];
        for (int i = 0; i < values.length; i++) {
            if (types[i] == boolean.class) {
                arguments[i] = values[i] != 0;
            } else if (types[i] == byte.class) {
                arguments[i] = (byte) values[i];
            } else if (types[i] == short.class) {
                arguments[i] = (short) values[i];
            } else {
                arguments[i] = values[i];
            }
        }
        return arguments;
    }

    private static String shown(Object result) {
        if (result instanceof Boolean) {
            return (Boolean) result ? "1" : "0";
        }
        return result == null ? "void" : result.toString();
    }

    /**
     * Returns the name of what was thrown, the numbers of its message, and method and line of each call, the innermost
     * first; line -1 where the class has no lines. Errors of the virtual machine have the innermost call alone.
     */
    private static String shown(Throwable trap) {
        StackTraceElement[] calls = trap.getStackTrace();
        StringBuilder shown = new StringBuilder(trap.getClass().getSimpleName());
        if (trap instanceof IndexOutOfBoundsException || trap instanceof NegativeArraySizeException) {
            String numbers = trap.getMessage().replaceAll("[^-0-9]+", " ").trim();
            shown.append('(').append(numbers.replace(' ', ',')).append(')');
        }
        char separator = '@';
        for (StackTraceElement call : calls) {
            boolean isOfClass = call.getClassName().equals(calls[0].getClassName());
            if (!isOfClass || (separator == '<' && trap instanceof Error)) {
                break;
            }
            shown.append(separator).append(call.getMethodName()).append(':').append(call.getLineNumber());
            separator = '<';
        }
        return shown.toString();
    }
}
