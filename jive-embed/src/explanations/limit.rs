//! Explanations of the family `limit`: capacity limits of the virtual machine.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "limit/file-size",
        meaning: "The file is longer than the longest class file that JIVE loads.",
        example: "a class file of 10 MB",
        fix: "Check that the file is a class file. Split a class that is too large, or omit debug \
              information with `javac -g:none`.",
    },
    Explanation {
        code: "limit/index-size",
        meaning: "The program that called `ClassFile::parse` passed too little memory for the \
                  index of the class file.",
        example: "ClassFile::parse(bytes, &mut [])",
        fix: "Pass as many words to `ClassFile::parse` as `ClassFile::index_len` returns. If \
              `jive` prints `limit/index-size`, report the bug in `jive`.",
    },
    Explanation {
        code: "limit/constants",
        meaning: "The class has more constants than JIVE allows. A `long` or `double` constant \
                  counts as two constants, as in the class file.",
        example: "a class with a table of 2,000 different large numbers",
        fix: "Compute tables of numbers in the static initializer, or keep the tables in the host \
              program.",
    },
    Explanation {
        code: "limit/fields",
        meaning: "The class has more fields than JIVE allows.",
        example: "int counter0, counter1, counter2;   // and so on, 200 of them",
        fix: "Use an array in place of many fields.",
    },
    Explanation {
        code: "limit/methods",
        meaning: "The class has more methods than JIVE allows. Constructors, static initializers \
                  and `native` methods also count as methods.",
        example: "a class with 100 methods",
        fix: "Merge related methods. Import natives from `unet.Nic` instead of declaring `native` \
              methods.",
    },
    Explanation {
        code: "limit/frame",
        meaning: "A method has more local variables and operand stack entries, added together, \
                  than JIVE allows.",
        example: "int f() { int a0 = 1, a1 = 2;   // and so on, 300 of them",
        fix: "Split the method into several methods, or keep the method's values in an array.",
    },
    Explanation {
        code: "limit/verify-steps",
        meaning: "The verification of a method takes more steps than its budget, which is 65,536 \
                  steps plus 16 steps for each instruction. The verification of compiled Java code \
                  needs far fewer steps.",
        example: "generated code with many nested loops, in which hundreds of variables change their type",
        fix: "Split the method into several methods.",
    },
    Explanation {
        code: "limit/work-area",
        meaning: "The program that called the verifier passed too little memory for the work area \
                  of the verifier.",
        example: "verify(class, policy, natives, WorkArea::default())",
        fix: "Pass as much memory to the verifier as `work_size` returns. If `jive` prints \
              `limit/work-area`, report the bug in `jive`.",
    },
    Explanation {
        code: "limit/rx-buf",
        meaning: "The longest packet of the profile does not fit in the largest possible heap, so \
                  the NIC cannot allocate `RxBuf`.",
        example: "max_packet = \"2048MiB\"     # in a profile",
        fix: "Set a smaller `max_packet` in the profile.",
    },
    Explanation {
        code: "limit/program-storage",
        meaning: "The program that called the linker passed too little memory for the linked \
                  class.",
        example: "link(&verified, ProgramStorage::default())",
        fix: "Pass as much memory to the linker as `program_size` returns. If `jive` prints \
              `limit/program-storage`, report the bug in `jive`.",
    },
];
