package jive.javac;

import com.sun.source.util.JavacTask;
import com.sun.source.util.TaskEvent;
import com.sun.source.util.TaskListener;
import com.sun.source.util.Trees;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/**
 * Gives each applet that javac compiles to {@code jive verify}, and reports its faults as errors of javac.
 *
 * <p>The processor processes no annotations. It listens to javac, and acts when a class file has been written.
 */
public final class VerifyProcessor extends AbstractProcessor {
    /** The command to run; {@code jive} on the search path unless given. */
    private static final String COMMAND = "jive.command";

    /** Whether every class is judged, as a class alone, in place of the applets. */
    private static final String CLASS_ONLY = "jive.classOnly";

    /** Whether warnings of lints are reported too. */
    private static final String LINT = "jive.lint";

    /** The members by which an applet is known. */
    private static final Set<String> APPLET_MEMBERS = Set.of("RxBuf", "doTx", "doRx");

    /** Creates the processor, which javac does by the name in {@code META-INF/services}. */
    public VerifyProcessor() {}

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public Set<String> getSupportedAnnotationTypes() {
        return Set.of("*");
    }

    @Override
    public Set<String> getSupportedOptions() {
        return Set.of(COMMAND, CLASS_ONLY, LINT);
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        return false;
    }

    @Override
    public synchronized void init(ProcessingEnvironment environment) {
        super.init(environment);
        ProcessingEnvironment own = unwrapped(environment);
        if (own == null) {
            environment.getMessager().printMessage(Diagnostic.Kind.NOTE,
                "jive verifies nothing: the compiler is not javac, or is hidden by the build tool");
            return;
        }
        JavacTask.instance(own).addTaskListener(new Listener(own));
    }

    /** Returns javac's own environment, which Gradle and IntelliJ wrap, or null. */
    private static ProcessingEnvironment unwrapped(ProcessingEnvironment environment) {
        ProcessingEnvironment candidate = environment;
        // Wrappers of wrappers are few; the bound ends a circle.
        for (int depth = 0; candidate != null && depth < 4; depth++) {
            try {
                JavacTask.instance(candidate);
                return candidate;
            } catch (IllegalArgumentException wrapped) {
                candidate = inside(candidate);
            }
        }
        return null;
    }

    private static ProcessingEnvironment inside(ProcessingEnvironment wrapper) {
        try {
            ClassLoader loader = wrapper.getClass().getClassLoader();
            Class<?> wrappers = Class.forName("org.jetbrains.jps.javac.APIWrappers", false, loader);
            Object found = wrappers.getDeclaredMethod("unwrap", Class.class, Object.class)
                .invoke(null, ProcessingEnvironment.class, wrapper);
            if (found instanceof ProcessingEnvironment && found != wrapper) {
                return (ProcessingEnvironment) found;
            }
        } catch (ReflectiveOperationException | RuntimeException notIntelliJ) {
            // Another build tool made the wrapper: look for the field in which it keeps javac's environment.
        }
        for (Class<?> type = wrapper.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (ProcessingEnvironment.class.isAssignableFrom(field.getType())) {
                    try {
                        field.setAccessible(true);
                        return (ProcessingEnvironment) field.get(wrapper);
                    } catch (ReflectiveOperationException | RuntimeException hidden) {
                        return null;
                    }
                }
            }
        }
        return null;
    }

    /** Verifies each class after javac has written it. */
    private static final class Listener implements TaskListener {
        private final ProcessingEnvironment environment;
        private final Trees trees;
        private final Lines lines;
        private boolean isBroken;
        private boolean hasFaults;

        Listener(ProcessingEnvironment environment) {
            this.environment = environment;
            this.trees = Trees.instance(environment);
            this.lines = new Lines(trees);
        }

        @Override
        public void finished(TaskEvent event) {
            TypeElement type = event.getTypeElement();
            switch (event.getKind()) {
                case ANALYZE:
                    // Javac frees the trees before it generates code, so their lines are remembered here.
                    if (event.getCompilationUnit() != null) {
                        lines.remember(event.getCompilationUnit());
                    }
                    break;
                case GENERATE:
                    if (type != null && !isBroken && isJudged(type)) {
                        verify(type);
                    }
                    break;
                default:
                    break;
            }
        }

        private boolean isSet(String option) {
            return Boolean.parseBoolean(environment.getOptions().get(option));
        }

        private boolean isJudged(TypeElement type) {
            if (isSet(CLASS_ONLY)) {
                return true;
            }
            for (Element member : type.getEnclosedElements()) {
                if (APPLET_MEMBERS.contains(member.getSimpleName().toString())) {
                    return true;
                }
            }
            return false;
        }

        /** Reports that a class cannot be verified. The next one would fail in the same way. */
        private void fail(String name, String why) {
            isBroken = true;
            environment.getMessager().printMessage(Diagnostic.Kind.ERROR,
                "jive cannot verify " + name + ": " + why);
        }

        private void verify(TypeElement type) {
            String name = environment.getElementUtils().getBinaryName(type).toString();
            String command = environment.getOptions().getOrDefault(COMMAND, "jive");
            List<Fault> faults;
            try {
                Written written = new Written(environment, name, lines.source(type));
                faults = new Command(command, isSet(CLASS_ONLY), isSet(LINT)).judge(written);
            } catch (FileNotFoundException | NoSuchFileException missing) {
                if (!hasFaults) {
                    fail(name, "there is no class file " + missing.getMessage());
                }
                // Otherwise it is as it should be: javac writes no class after an error.
                return;
            } catch (IOException | Json.Malformed error) {
                fail(name, error.getMessage());
                return;
            }
            for (Fault fault : faults) {
                hasFaults |= fault.kind == Diagnostic.Kind.ERROR;
                lines.report(type, fault, environment.getMessager());
            }
        }
    }
}
