//! The family `unsafe`, first part: what can be seen without data flow (JVMS §4.9.1).

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "unsafe/class-circularity",
        meaning: "The class names itself as its superclass.",
        example: ".class A extends A",
        mend: "Extend `java/lang/Object`.",
    },
    Explanation {
        code: "unsafe/final-override",
        meaning: "The class declares `notify`, `notifyAll` or `wait`, which are `final` in \
                  `java/lang/Object` (JVMS §4.10).",
        example: "void wait() { }",
        mend: "Give the method another name, or make it `private` or `static`.",
    },
    Explanation {
        code: "unsafe/truncated-instruction",
        meaning: "The code ends in the middle of its last instruction.",
        example: "bipush          // and no byte behind it",
        mend: "The file is damaged or was cut: compile it again.",
    },
    Explanation {
        code: "unsafe/unknown-opcode",
        meaning: "A byte stands where an instruction begins, but no instruction has that number.",
        example: "0xcb",
        mend: "The file is damaged, or a tool put data among the instructions.",
    },
    Explanation {
        code: "unsafe/reserved-opcode",
        meaning: "`breakpoint`, `impdep1` and `impdep2` are for debuggers and virtual machines \
                  themselves; they never stand in a class file (JVMS §6.2).",
        example: "breakpoint",
        mend: "Take the class file that the compiler wrote, not a copy out of a running JVM.",
    },
    Explanation {
        code: "unsafe/wide-opcode",
        meaning: "`wide` stands before an instruction that has no wide form.",
        example: "wide iadd",
        mend: "Only loads, stores, `iinc` and `ret` can be widened.",
    },
    Explanation {
        code: "unsafe/switch-bounds",
        meaning: "The lowest key of a `tableswitch` is above its highest.",
        example: "tableswitch 5 to 3",
        mend: "Mend the tool that made the class file.",
    },
    Explanation {
        code: "unsafe/switch-count",
        meaning: "A `lookupswitch` claims a negative number of pairs.",
        example: "lookupswitch with -1 pairs",
        mend: "Mend the tool that made the class file.",
    },
    Explanation {
        code: "unsafe/switch-order",
        meaning: "The keys of a `lookupswitch` do not ascend, or one stands twice.",
        example: "lookupswitch { 7: A, 3: B, default: C }",
        mend: "Sort the keys.",
    },
    Explanation {
        code: "unsafe/switch-padding",
        meaning: "The padding of a switch holds bytes other than zero, which class files below version \
                  51 must not have.",
        example: "tableswitch with a padding byte 0x01",
        mend: "Write zeros.",
    },
    Explanation {
        code: "unsafe/operand-bytes",
        meaning: "A byte of an instruction that must be zero is not, or a count that must not be zero is.",
        example: "invokeinterface with a last byte of 1",
        mend: "Mend the tool that made the class file.",
    },
    Explanation {
        code: "unsafe/branch-target",
        meaning: "A branch or switch leads to where no instruction begins: into the middle of one, \
                  before the code or behind it.",
        example: "0: sipush 1000\n3: goto 1       // inside sipush",
        mend: "Mend the tool that made or changed the class file; code that was edited needs its offsets \
               computed anew.",
    },
    Explanation {
        code: "unsafe/local-index",
        meaning: "An instruction names a local variable that the method does not have.",
        example: ".method static f()V stack 1 locals 1\n    iload_3     // there is only local variable 0",
        mend: "Raise `max_locals`. Java compilers compute it.",
    },
    Explanation {
        code: "unsafe/constant-index",
        meaning: "An instruction names a constant at an index where the constant pool has nothing.",
        example: "ldc #900        // of a pool of 20",
        mend: "Mend the tool that made or changed the class file.",
    },
    Explanation {
        code: "unsafe/constant-kind",
        meaning: "An instruction names a constant of a kind with which it can do nothing.",
        example: "getstatic #7    // and #7 is an Integer",
        mend: "Mend the tool that made or changed the class file.",
    },
    Explanation {
        code: "unsafe/array-type-code",
        meaning: "`newarray` names an element type by a number that stands for none.",
        example: "newarray 3",
        mend: "The numbers run from 4 (`boolean`) to 11 (`long`).",
    },
    Explanation {
        code: "unsafe/special-method-call",
        meaning: "`<init>` or `<clinit>` is called by an instruction that may not call it. Constructors \
                  are called by `invokespecial`, static initializers by the JVM alone.",
        example: "invokestatic A.<clinit> ()V",
        mend: "Move what should run again into a method of its own.",
    },
];
