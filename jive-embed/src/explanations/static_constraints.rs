//! Explanations of the family `unsafe`, first part: errors found without data flow (JVMS §4.9.1).

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "unsafe/class-circularity",
        meaning: "The class is `java/lang/Object` itself, or names itself as superclass.",
        example: ".class A extends A",
        fix: "Extend `java/lang/Object`.",
    },
    Explanation {
        code: "unsafe/final-override",
        meaning: "The class declares `notify`, `notifyAll` or `wait`, which are `final` in \
                  `java/lang/Object` (JVMS §4.10).",
        example: "void wait() { }",
        fix: "Give the method another name, or make it `private` or `static`.",
    },
    Explanation {
        code: "unsafe/truncated-instruction",
        meaning: "The code ends in the middle of its last instruction.",
        example: "bipush          // without its operand",
        fix: "The file is damaged or truncated. Compile it again.",
    },
    Explanation {
        code: "unsafe/unknown-opcode",
        meaning: "An instruction starts with a byte that is not an opcode.",
        example: "0xcb",
        fix: "The file is damaged, or a tool put data between the instructions.",
    },
    Explanation {
        code: "unsafe/reserved-opcode",
        meaning: "`breakpoint`, `impdep1` and `impdep2` are reserved for debuggers and virtual \
                  machines. They never occur in a class file (JVMS §6.2).",
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
        fix: "Sort the keys.",
    },
    Explanation {
        code: "unsafe/switch-padding",
        meaning: "The padding of a switch contains a byte other than zero. Below class file \
                  version 51, it must be zero.",
        example: "tableswitch with a padding byte 0x01",
        fix: "Write zeros.",
    },
    Explanation {
        code: "unsafe/operand-bytes",
        meaning: "A byte of an instruction that must be zero is not zero, or a count that must not \
                  be zero is zero.",
        example: "invokeinterface with 1 as last byte",
        fix: "Correct the tool that generated or changed the class file.",
    },
    Explanation {
        code: "unsafe/branch-target",
        meaning: "The target of a branch or switch is not the start of an instruction. It is in \
                  the middle of an instruction, or outside of the code.",
        example: "0: sipush 1000\n3: goto 1       // inside sipush",
        fix: "Correct the tool that generated or changed the class file. If instructions were \
              inserted or removed, compute the offsets again.",
    },
    Explanation {
        code: "unsafe/local-index",
        meaning: "An instruction accesses a local variable that the method does not have.",
        example: ".method static f()V stack 1 locals 1\n    iload_3     // only local variable 0 exists",
        fix: "Raise `max_locals`. Java compilers compute it.",
    },
    Explanation {
        code: "unsafe/constant-index",
        meaning: "The constant pool has no constant at an index that an instruction uses.",
        example: "ldc #900        // in a pool of 20 constants",
        fix: "Correct the tool that generated or changed the class file.",
    },
    Explanation {
        code: "unsafe/constant-kind",
        meaning: "An instruction refers to a constant of a kind that it cannot use.",
        example: "getstatic #7    // #7 is an Integer",
        fix: "Correct the tool that generated or changed the class file.",
    },
    Explanation {
        code: "unsafe/array-type-code",
        meaning: "The element type code of `newarray` is unknown.",
        example: "newarray 3",
        fix: "Use a code from 4 (`boolean`) to 11 (`long`).",
    },
    Explanation {
        code: "unsafe/special-method-call",
        meaning: "An instruction calls `<init>` or `<clinit>` that must not call it. Only \
                  `invokespecial` may call constructors. Only the JVM may call static \
                  initializers.",
        example: "invokestatic A.<clinit> ()V",
        fix: "Move code that should run again to another method.",
    },
];
