package jive.javac;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.annotation.processing.Messager;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;

/** The trees of each source by their lines, so that a fault of a class file can be reported at its line. */
final class Lines {
    private final Trees trees;
    private final Map<String, Unit> units = new HashMap<>();

    Lines(Trees trees) {
        this.trees = trees;
    }

    private static final class Unit {
        final CompilationUnitTree tree;
        /** The names of the classes at the top, kept because javac empties the list of declarations. */
        final Set<String> declared = new HashSet<>();
        /** The outermost tree that begins in each line. */
        final TreeMap<Long, Tree> byLine = new TreeMap<>();

        Unit(CompilationUnitTree tree) {
            this.tree = tree;
        }
    }

    /** Remembers the trees of a source. */
    void remember(CompilationUnitTree tree) {
        String name = tree.getSourceFile().toUri().toString();
        if (units.containsKey(name)) {
            return;
        }
        Unit unit = new Unit(tree);
        units.put(name, unit);
        String packaged = tree.getPackageName() == null ? "" : tree.getPackageName() + ".";
        for (Tree declared : tree.getTypeDecls()) {
            if (declared instanceof ClassTree) {
                unit.declared.add(packaged + ((ClassTree) declared).getSimpleName());
            }
        }
        SourcePositions positions = trees.getSourcePositions();
        LineMap map = tree.getLineMap();
        if (map == null) {
            // With `-g:none` javac counts no lines; faults are reported at their class.
            return;
        }
        new TreeScanner<Void, Void>() {
            @Override
            public Void scan(Tree inner, Void nothing) {
                boolean hasPlace = inner != null && !(inner instanceof CompilationUnitTree)
                    && !(inner instanceof ModifiersTree) && !(inner instanceof BlockTree);
                if (hasPlace) {
                    long start = positions.getStartPosition(tree, inner);
                    // What the compiler adds has no place in the source.
                    if (start != Diagnostic.NOPOS) {
                        unit.byLine.putIfAbsent(map.getLineNumber(start), inner);
                    }
                }
                return super.scan(inner, nothing);
            }
        }.scan(tree, null);
    }

    /** Returns the source of a class, or null if javac does not say it. */
    JavaFileObject source(TypeElement type) {
        for (Unit unit : units.values()) {
            if (declares(unit, type)) {
                return unit.tree.getSourceFile();
            }
        }
        return null;
    }

    /** Reports a fault of a class at its line, or at the declaration of the class. */
    void report(TypeElement type, Fault fault, Messager messager) {
        for (Unit unit : units.values()) {
            if (declares(unit, type)) {
                Map.Entry<Long, Tree> found = unit.byLine.floorEntry((long) fault.line);
                if (fault.line > 0 && found != null) {
                    String message = fault.message;
                    if (found.getKey() != fault.line) {
                        // Within a statement of several lines only its first has a tree.
                        message = message.replaceFirst("$|\n", " (line " + fault.line + ")$0");
                    }
                    trees.printMessage(fault.kind, message, found.getValue(), unit.tree);
                    return;
                }
            }
        }
        messager.printMessage(fault.kind, fault.message, type);
    }

    private static boolean declares(Unit unit, TypeElement type) {
        Element outermost = type;
        while (outermost.getEnclosingElement() != null
            && outermost.getEnclosingElement().getKind() != ElementKind.PACKAGE) {
            outermost = outermost.getEnclosingElement();
        }
        return unit.declared.contains(outermost.toString());
    }
}
