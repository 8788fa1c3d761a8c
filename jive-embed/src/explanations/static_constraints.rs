//! Explanations of the family `unsafe`, first part: errors found without data flow (JVMS §4.9.1).

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "unsafe/class-circularity",
        meaning: "The class has the name `java/lang/Object`, but each applet is a subclass of \
                  `java/lang/Object`.",
        example: ".class java/lang/Object",
        fix: "Give the class another name, and extend `java/lang/Object`.",
    },
    Explanation {
        code: "unsafe/final-override",
        meaning: "The class overrides the method `notify`, `notifyAll` or `wait`, which is `final` \
                  in `java/lang/Object` (JVMS §4.10).",
        example: "void wait() { }",
        fix: "Give the method another name, or make the method `private` or `static`.",
    },
    Explanation {
        code: "unsafe/truncated-instruction",
        meaning: "The code of a method ends in the middle of the last instruction.",
        example: "bipush          // without its operand",
        fix: "The class file is damaged or truncated. Compile the source again.",
    },
    Explanation {
        code: "unsafe/unknown-opcode",
        meaning: "An instruction starts with a byte that is not an opcode.",
        example: "0xcb",
        fix: "Compile the source again, or correct the tool that put data between the \
              instructions.",
    },
    Explanation {
        code: "unsafe/reserved-opcode",
        meaning: "The code contains `breakpoint`, `impdep1` or `impdep2`, which are reserved for \
                  debuggers and virtual machines. A valid class file never contains a reserved \
                  opcode (JVMS §6.2).",
        example: "breakpoint",
        fix: "Use the class file that the compiler wrote, not a copy from a running JVM.",
    },
    Explanation {
        code: "unsafe/wide-opcode",
        meaning: "`wide` precedes an instruction that has no wide form.",
        example: "wide iadd",
        fix: "Use `wide` only with loads, stores, `iinc` and `ret`.",
    },
    Explanation {
        code: "unsafe/switch-bounds",
        meaning: "The lowest key of a `tableswitch` is greater than its highest key.",
        example: "tableswitch 5 to 3",
        fix: "Correct the tool that generated or changed the class file.",
    },
    Explanation {
        code: "unsafe/switch-count",
        meaning: "The number of pairs of a `lookupswitch` is negative.",
        example: "lookupswitch with -1 pairs",
        fix: "Correct the tool that generated or changed the class file.",
    },
    Explanation {
        code: "unsafe/switch-order",
        meaning: "The keys of a `lookupswitch` are not in ascending order, or a key occurs twice.",
        example: "lookupswitch { 7: A, 3: B, default: C }",
        fix: "Sort the keys of the `lookupswitch` in ascending order, each key once.",
    },
    Explanation {
        code: "unsafe/switch-padding",
        meaning: "The padding of a switch contains a byte other than zero. In class files below \
                  version 51, the padding of a switch must be zero.",
        example: "tableswitch with a padding byte 0x01",
        fix: "Fill the padding of the switch with zeros.",
    },
    Explanation {
        code: "unsafe/operand-bytes",
        meaning: "The last operand byte of `invokeinterface` or `invokedynamic` is not zero, or \
                  the count of `invokeinterface` or `multianewarray` is zero.",
        example: "invokeinterface with 1 as last byte",
        fix: "Correct the tool that generated or changed the class file.",
    },
    Explanation {
        code: "unsafe/branch-target",
        meaning: "The target of a branch or switch is not the start of an instruction. The target \
                  is in the middle of an instruction, or outside of the method's code.",
        example: "0: sipush 1000\n3: goto 1       // inside sipush",
        fix: "Correct the tool that generated or changed the class file. If instructions were \
              inserted or removed, compute the branch offsets again.",
    },
    Explanation {
        code: "unsafe/local-index",
        meaning: "An instruction accesses a local variable that the method does not have.",
        example: ".method static f()V stack 1 locals 1\n    iload_3     // only local variable 0 exists",
        fix: "Raise `max_locals` of the method. Java compilers compute `max_locals`.",
    },
    Explanation {
        code: "unsafe/constant-index",
        meaning: "The constant pool has no constant at an index that an instruction uses.",
        example: "ldc #900        // in a pool of 20 constants",
        fix: "Correct the tool that generated or changed the class file.",
    },
    Explanation {
        code: "unsafe/constant-kind",
        meaning: "An instruction refers to a constant of a kind that the instruction cannot use.",
        example: "getstatic #7    // #7 is an Integer",
        fix: "Correct the tool that generated or changed the class file.",
    },
    Explanation {
        code: "unsafe/array-type-code",
        meaning: "The element type code of `newarray` is unknown.",
        example: "newarray 3",
        fix: "Use an element type code from 4 (`boolean`) to 11 (`long`).",
    },
    Explanation {
        code: "unsafe/special-method-call",
        meaning: "An instruction calls the initializer `<init>` or `<clinit>`, but must not call \
                  the initializer. Only `invokespecial` may call constructors. Only the JVM may \
                  call static initializers.",
        example: "invokestatic A.<clinit> ()V",
        fix: "Move code that should run again from the initializer to another method.",
    },
];
