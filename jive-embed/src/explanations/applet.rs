//! Explanations of the family `applet`: members that the NIC requires.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "applet/missing-member",
        meaning: "The class lacks a member that every applet has: `doTx`, `doRx`, `RxBuf` or a \
                  constructor without parameters. The NIC creates the instance of the applet with \
                  the constructor without parameters. The NIC calls `doTx` for each transmit \
                  descriptor. The NIC copies each packet into `RxBuf` and calls `doRx`. An applet for a NIC \
                  that receives directly has no `RxBuf`: `jive verify --profile` judges it, as in \
                  `--profile lanai-1998-direct`. A program on the host needs `run` alone: `jive \
                  verify --program` judges it.",
        example: "class Filter {\n    byte[] RxBuf;\n    int doRx(int length, int channel) { return 0; }\n    // no doTx\n}",
        fix: "Add the member that the error message names. For a class that is not an applet, use \
              `jive verify --class-only`.",
    },
    Explanation {
        code: "applet/member-descriptor",
        meaning: "A member of the applet has other parameters, another result or another type than \
                  the NIC expects, or a method of the program has other ones than the host expects. The \
                  methods of a program are `static int run()` and, if it wants, `static int \
                  unreferenced(int buffer, int number)`.",
        example: "void doRx(int length, int channel) { }   // the NIC calls int doRx(int, int)",
        fix: "Declare `int doTx(int length, int channel, int offset)`, `int doRx(int length, int \
              channel)`, `byte[] RxBuf` and a constructor without parameters. The optional methods \
              of an applet are `int doTimer()`, `int doRefill(int length, int channel, int \
              offset)`, `int doWatch(int window, int offset, int length)` and `int doRead(int \
              window, int offset, int status)`.",
    },
    Explanation {
        code: "applet/native-entry",
        meaning: "A method that the NIC or the host calls is declared `native`, so the method has \
                  no code to run.",
        example: "native int doRx(int length, int channel);",
        fix: "Give the method a body, and remove `native` from the declaration of the method.",
    },
    Explanation {
        code: "applet/instance-entry",
        meaning: "A method of a program that the host calls is no `static` method. Nobody makes an \
                  instance of a program, so there is no `this` to call the method on.",
        example: "int run() { return 0; }",
        fix: "Declare the method as `static`, and the fields that it uses too.",
    },
    Explanation {
        code: "applet/not-judged",
        meaning: "JIVE uses the class as an applet, but has verified the class without the rules \
                  for applets. The cause of `applet/not-judged` is a bug in JIVE, not in the \
                  class.",
        example: "(no class should cause this)",
        fix: "Report the bug in JIVE, and attach the class file to the report.",
    },
    Explanation {
        code: "applet/final-rx-buf",
        meaning: "`RxBuf` is `final`, but the NIC assigns the receive buffer to `RxBuf` before \
                  each call of `doRx`.",
        example: "final byte[] RxBuf = new byte[9216];",
        fix: "Declare the field as `byte[] RxBuf;`, and do not assign `RxBuf`.",
    },
    Explanation {
        code: "applet/native-not-offered",
        meaning: "The applet calls a native that its NIC does not have. NICs differ: some have no \
                  DMA engine for applets, no timer or no windows, and only a NIC that receives \
                  directly has `rxOffset` and `peek`. The profile of a NIC says what it offers.",
        example: "static int doRx(int length, int channel) { return rxOffset(); }   // on `lanai-1998`",
        fix: "Use the applet on a NIC that has the native: the table of NICs in docs/profiles.md \
              says what each offers. Or do without the native.",
    },
    Explanation {
        code: "applet/unset-rx-buf",
        meaning: "The class declares `RxBuf`, but the NIC receives directly: it moves packets into \
                  free buffers of the endpoint and never sets `RxBuf`.",
        example: "byte[] RxBuf;",
        fix: "Remove `RxBuf`. `peek` copies the header of the packet that `doRx` handles, and \
              `rxOffset` returns the offset of the buffer with the packet. Or use the applet on a \
              NIC with `receive = \"staged\"`.",
    },
];
