//! Explanations of the family `unsafe`, second part: errors found by data flow (JVMS §4.9.2, §4.10.2).

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "unsafe/stack-underflow",
        meaning: "An instruction pops more values than the operand stack holds.",
        example: "iconst_1\niadd            // adds two values, there is one",
        fix: "Correct the tool that generated or changed the class file. No Java compiler \
              generates code that underflows the operand stack.",
    },
    Explanation {
        code: "unsafe/stack-overflow",
        meaning: "An instruction pushes more values than the method's `max_stack` allows.",
        example: ".method static f()I stack 1 locals 0\n    iconst_1\n    iconst_2    // the second value",
        fix: "Raise `max_stack` of the method. Java compilers compute `max_stack`.",
    },
    Explanation {
        code: "unsafe/operand-type",
        meaning: "A value on the operand stack does not have the type that the instruction \
                  requires. For example, `iaload` finds an `int` in place of an array, or `baload` \
                  finds a `short[]`.",
        example: "iconst_0\niconst_0\niaload          // the array is an int",
        fix: "Find the instruction that pushed the value of the wrong type. The error message \
              states the depth of the value on the operand stack.",
    },
    Explanation {
        code: "unsafe/local-type",
        meaning: "A local variable does not have the type that an instruction loads. On some path \
                  to the instruction, the local variable has no value, or has a value of another \
                  type.",
        example: "iload_0\nifeq END\niconst_5\nistore_1\nEND: iload_1    // unset where the branch is taken",
        fix: "Assign a value of the loaded type to the local variable on every path to the \
              instruction.",
    },
    Explanation {
        code: "unsafe/uninitialized-this",
        meaning: "A constructor uses `this` before the constructor has called `Object.<init>`. \
                  Before the call of `Object.<init>`, a constructor may use `this` only to store \
                  to fields of the class.",
        example: "aload_0\ninvokevirtual A.reset ()V    // before invokespecial Object.<init>",
        fix: "Call `Object.<init>` before other uses of `this`. Java compilers generate \
              constructors that call `Object.<init>` first.",
    },
    Explanation {
        code: "unsafe/not-uninitialized",
        meaning: "`Object.<init>` is called on a value that is not an uninitialised `this`. For \
                  example, the call of `Object.<init>` is outside of a constructor, or is the \
                  second call on a path.",
        example: "aload_0\ninvokespecial Object.<init> ()V\naload_0\ninvokespecial Object.<init> ()V",
        fix: "Call `Object.<init>` once on each path of the constructor, and nowhere else.",
    },
    Explanation {
        code: "unsafe/return-before-init",
        meaning: "A constructor returns on a path that has not called `Object.<init>`.",
        example: ".method <init>()V stack 0 locals 1\n    return",
        fix: "Call `Object.<init>` on every path of the constructor.",
    },
    Explanation {
        code: "unsafe/return-kind",
        meaning: "A return instruction does not match the result type in the method's descriptor.",
        example: ".method static f()I stack 0 locals 0\n    return      // f returns an int",
        fix: "Use `ireturn` for an integer or `boolean` result, `areturn` for a reference, and \
              `return` for `void`.",
    },
    Explanation {
        code: "unsafe/merge-depth",
        meaning: "Two paths to an instruction have operand stacks of different depth.",
        example: "LOOP: iconst_1\ngoto LOOP       // deeper in each iteration",
        fix: "Leave the same number of values on the operand stack on all paths to the same \
              instruction.",
    },
    Explanation {
        code: "unsafe/merge-type",
        meaning: "Two paths to an instruction have values on the operand stack that have no common \
                  type, such as an `int` and an array.",
        example: "iload_0\nifeq ELSE\niconst_1\ngoto END\nELSE: aconst_null\nEND: pop         // an int or null",
        fix: "Leave values of the same types on the operand stack on all paths to the same \
              instruction.",
    },
    Explanation {
        code: "unsafe/falls-off-end",
        meaning: "Execution can continue past the last instruction of a method.",
        example: ".method static f()V stack 1 locals 0\n    iconst_1\n    pop         // no return",
        fix: "End the code of the method with a return instruction, a `goto` or a switch.",
    },
    Explanation {
        code: "unsafe/unverified",
        meaning: "The linker finds code that verification should have rejected. The cause of \
                  `unsafe/unverified` is a bug in JIVE, not in the class.",
        example: "(no class should cause this)",
        fix: "Report the bug in JIVE, and attach the class file to the report.",
    },
];
