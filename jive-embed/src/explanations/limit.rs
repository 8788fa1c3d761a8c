//! The family `limit`: what this virtual machine was built for.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "limit/file-size",
        meaning: "The file is longer than any class that this virtual machine loads.",
        example: "a class file of 10 MB",
        mend: "Check that it is a class file. Split a class that has grown; debug information can be \
               left out with `javac -g:none`.",
    },
    Explanation {
        code: "limit/index-size",
        meaning: "The program that called the parser lent it too little memory.",
        example: "ClassFile::parse(bytes, &mut [])",
        mend: "Lend as many words as `ClassFile::index_len` says. From `jive` this is a bug.",
    },
    Explanation {
        code: "limit/constants",
        meaning: "The class has more constants than the limit. A `long` or `double` counts twice, as in \
                  the class file.",
        example: "a class with a table of 2,000 different large numbers",
        mend: "Compute tables in the static initializer, or keep them in the user's program.",
    },
    Explanation {
        code: "limit/fields",
        meaning: "The class has more fields than the limit.",
        example: "int counter0, counter1, counter2;   // and so on, 200 of them",
        mend: "Use an array.",
    },
    Explanation {
        code: "limit/methods",
        meaning: "The class has more methods than the limit; constructors, static initializers and \
                  `native` methods count too.",
        example: "a class with 100 methods",
        mend: "Join methods that belong together, and import natives from `unet.Nic` in place of \
               declaring them.",
    },
    Explanation {
        code: "limit/frame",
        meaning: "A method needs more local variables and operand stack than a frame has room for.",
        example: "int f() { int a0 = 1, a1 = 2;   // and so on, 300 of them",
        mend: "Split the method, or keep the values in an array.",
    },
    Explanation {
        code: "limit/verify-steps",
        meaning: "Verifying the method takes more steps than its budget: 16 for each instruction and \
                  65,536 more. What Java compilers write stays far below it.",
        example: "generated code of many loops inside each other, with hundreds of variables that change type",
        mend: "Split the method.",
    },
    Explanation {
        code: "limit/work-area",
        meaning: "The program that called the verifier lent it too little memory.",
        example: "verify(class, policy, natives, WorkArea::default())",
        mend: "Lend what `work_size` says. From `jive` this is a bug.",
    },
    Explanation {
        code: "limit/rx-buf",
        meaning: "The profile's longest packet is larger than any heap, so `RxBuf` cannot be made.",
        example: "max_packet = \"2048MiB\"     # in a profile",
        mend: "Give the profile a smaller `max_packet`.",
    },
    Explanation {
        code: "limit/program-storage",
        meaning: "The program that called the linker lent it too little memory.",
        example: "link(&verified, ProgramStorage::default())",
        mend: "Lend what `program_size` says. From `jive` this is a bug.",
    },
];
