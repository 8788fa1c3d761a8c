//! Explanations of the family `limit`: capacity limits of the virtual machine.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "limit/file-size",
        meaning: "The file is longer than the longest class file that JIVE loads.",
        example: "a class file of 10 MB",
        fix: "Check that it is a class file. If the class is too large, split it, or omit debug \
              information with `javac -g:none`.",
    },
    Explanation {
        code: "limit/index-size",
        meaning: "The program that called the parser passed too little memory.",
        example: "ClassFile::parse(bytes, &mut [])",
        fix: "Pass as many words as `ClassFile::index_len` returns. If the program is `jive`, this \
              is a bug.",
    },
    Explanation {
        code: "limit/constants",
        meaning: "The class has more constants than the limit. A `long` or `double` counts as two \
                  constants, as in the class file.",
        example: "a class with a table of 2,000 different large numbers",
        fix: "Compute tables in the static initializer, or keep them in the user's program.",
    },
    Explanation {
        code: "limit/fields",
        meaning: "The class has more fields than the limit.",
        example: "int counter0, counter1, counter2;   // and so on, 200 of them",
        fix: "Use an array.",
    },
    Explanation {
        code: "limit/methods",
        meaning: "The class has more methods than the limit. Constructors, static initializers and \
                  `native` methods also count.",
        example: "a class with 100 methods",
        fix: "Merge related methods. Import natives from `unet.Nic` instead of declaring them.",
    },
    Explanation {
        code: "limit/frame",
        meaning: "A method needs more local variables and operand stack entries than the limit, \
                  added together.",
        example: "int f() { int a0 = 1, a1 = 2;   // and so on, 300 of them",
        fix: "Split the method, or keep the values in an array.",
    },
    Explanation {
        code: "limit/verify-steps",
        meaning: "The verification of the method takes more steps than its budget, which is 65,536 \
                  plus 16 for each instruction. Compiled Java code needs far fewer.",
        example: "generated code with many nested loops, in which hundreds of variables change their type",
        fix: "Split the method.",
    },
    Explanation {
        code: "limit/work-area",
        meaning: "The program that called the verifier passed too little memory.",
        example: "verify(class, policy, natives, WorkArea::default())",
        fix: "Pass as much memory as `work_size` returns. If the program is `jive`, this is a bug.",
    },
    Explanation {
        code: "limit/rx-buf",
        meaning: "The longest packet of the profile does not fit in the largest possible heap, so \
                  `RxBuf` cannot be allocated.",
        example: "max_packet = \"2048MiB\"     # in a profile",
        fix: "Give the profile a smaller `max_packet`.",
    },
    Explanation {
        code: "limit/program-storage",
        meaning: "The program that called the linker passed too little memory.",
        example: "link(&verified, ProgramStorage::default())",
        fix: "Pass as much memory as `program_size` returns. If the program is `jive`, this is a \
              bug.",
    },
];
