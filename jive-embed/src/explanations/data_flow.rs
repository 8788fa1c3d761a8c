//! The family `unsafe`, second part: what data flow finds (JVMS §4.9.2, §4.10.2).

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "unsafe/stack-underflow",
        meaning: "An instruction pops more values than the operand stack holds.",
        example: "iconst_1\niadd            // adds two values, there is one",
        mend: "No Java compiler writes this. Mend the tool that made or changed the class file.",
    },
    Explanation {
        code: "unsafe/stack-overflow",
        meaning: "An instruction pushes more values than the method's `max_stack` allows.",
        example: ".method static f()I stack 1 locals 0\n    iconst_1\n    iconst_2    // the second value",
        mend: "Raise `max_stack`. Java compilers compute it.",
    },
    Explanation {
        code: "unsafe/operand-type",
        meaning: "A value on the operand stack is not of the type that the instruction works on. Examples \
                  are an `int` where an array belongs, or a `short[]` given to `baload`.",
        example: "iconst_0\niconst_0\niaload          // the array is an int",
        mend: "No Java compiler writes this. The diagnosis names the depth on the stack; look for what \
               pushed that value.",
    },
    Explanation {
        code: "unsafe/local-type",
        meaning: "A local variable does not hold the type that the instruction loads. It may never have \
                  been set on one of the paths that lead here, or set to something else.",
        example: "iload_0\nifeq END\niconst_5\nistore_1\nEND: iload_1    // unset where the branch is taken",
        mend: "Set the variable on every path.",
    },
    Explanation {
        code: "unsafe/uninitialized-this",
        meaning: "A constructor uses `this` before it has called `Object.<init>`. All that it may do with \
                  it is to store to the class's own fields.",
        example: "aload_0\ninvokevirtual A.reset ()V    // before invokespecial Object.<init>",
        mend: "Call `Object.<init>` first. Java compilers do.",
    },
    Explanation {
        code: "unsafe/not-uninitialized",
        meaning: "`Object.<init>` is called on something that is not `this` waiting for it: in another \
                  method than a constructor, or a second time.",
        example: "aload_0\ninvokespecial Object.<init> ()V\naload_0\ninvokespecial Object.<init> ()V",
        mend: "Call it once on each path of the constructor, and nowhere else.",
    },
    Explanation {
        code: "unsafe/return-before-init",
        meaning: "A constructor returns on a path on which it has not called `Object.<init>`.",
        example: ".method <init>()V stack 0 locals 1\n    return",
        mend: "Call `Object.<init>` on every path.",
    },
    Explanation {
        code: "unsafe/return-kind",
        meaning: "A return instruction does not match the result that the method's descriptor promises.",
        example: ".method static f()I stack 0 locals 0\n    return      // f returns an int",
        mend: "Use `ireturn` for numbers, `areturn` for arrays, `return` for `void`.",
    },
    Explanation {
        code: "unsafe/merge-depth",
        meaning: "Two paths lead to one instruction with operand stacks of different depth.",
        example: "LOOP: iconst_1\ngoto LOOP       // deeper each time round",
        mend: "Leave the same number of values on every path that meets.",
    },
    Explanation {
        code: "unsafe/merge-type",
        meaning: "Two paths lead to one instruction with values on the operand stack that have nothing in \
                  common, such as an `int` and an array.",
        example: "iload_0\nifeq ELSE\niconst_1\ngoto END\nELSE: aconst_null\nEND: pop         // an int or null",
        mend: "Leave values of one type on every path that meets.",
    },
    Explanation {
        code: "unsafe/falls-off-end",
        meaning: "Execution can run past the last instruction of the method.",
        example: ".method static f()V stack 1 locals 0\n    iconst_1\n    pop         // and then?",
        mend: "End the method with a return, a `goto` or a switch.",
    },
    Explanation {
        code: "unsafe/unverified",
        meaning: "The linker met something that verification excludes. This is a bug of JIVE, not of the \
                  class.",
        example: "(no class should show this)",
        mend: "Please report it, with the class file.",
    },
];
