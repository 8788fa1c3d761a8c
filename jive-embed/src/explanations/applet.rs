//! Explanations of the family `applet`: members that the NIC requires.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "applet/missing-member",
        meaning: "The class lacks a member that every applet has. The NIC creates the instance \
                  with the constructor without parameters. It calls `doTx` for a transmit \
                  descriptor and `doRx` for a packet, which it copies into `RxBuf`.",
        example: "class Filter {\n    byte[] RxBuf;\n    int doRx(int length, int channel) { return 0; }\n    // no doTx\n}",
        fix: "Add the member that the message names. For a class that is not an applet, use `jive \
              verify --class-only`.",
    },
    Explanation {
        code: "applet/member-descriptor",
        meaning: "A member of the applet has other parameters, another result or another type than \
                  the NIC expects.",
        example: "void doRx(int length, int channel) { }   // the NIC calls int doRx(int, int)",
        fix: "Declare `int doTx(int length, int channel, int offset)`, `int doRx(int length, int \
              channel)`, `byte[] RxBuf` and a constructor without parameters. An applet may also \
              have `int doTimer()`, `int doRefill(int length, int channel, int offset)` and `int \
              doWatch(int window, int offset, int length)`, with exactly these parameters.",
    },
    Explanation {
        code: "applet/native-entry",
        meaning: "A method that the NIC calls is declared `native`, so it has no code to run.",
        example: "native int doRx(int length, int channel);",
        fix: "Give the method a body. Natives are for the applet to call.",
    },
    Explanation {
        code: "applet/not-judged",
        meaning: "The class was verified as a class and not as an applet, but was then used as an \
                  applet. This is a bug in JIVE, not in the class.",
        example: "(no class should cause this)",
        fix: "Please report it, with the class file.",
    },
    Explanation {
        code: "applet/final-rx-buf",
        meaning: "`RxBuf` is `final`, but the NIC assigns its receive buffer to it before each \
                  `doRx`.",
        example: "final byte[] RxBuf = new byte[9216];",
        fix: "Declare it as `byte[] RxBuf;` and do not assign it.",
    },
];
