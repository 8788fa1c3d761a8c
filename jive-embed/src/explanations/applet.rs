//! The family `applet`: the members that the NIC needs.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "applet/missing-member",
        meaning: "The class lacks a member that every applet has. The NIC makes the one instance by the \
                  constructor without parameters. It calls `doTx` for a transmit descriptor and `doRx` for \
                  a packet, which it puts into `RxBuf`.",
        example: "class Filter {\n    byte[] RxBuf;\n    int doRx(int length, int channel) { return 0; }\n    // no doTx\n}",
        mend: "Add the member that is named; `jive verify --class-only` judges a class that is not meant \
               to be an applet.",
    },
    Explanation {
        code: "applet/member-descriptor",
        meaning: "A member of the applet has other parameters, another result or another type than the \
                  NIC uses.",
        example: "void doRx(int length, int channel) { }   // the NIC calls int doRx(int, int)",
        mend: "Declare `int doTx(int length, int channel, int offset)`, `int doRx(int length, int \
               channel)`, `byte[] RxBuf` and a constructor without parameters. An applet may also have `int \
               doTimer()` and `int doRefill(int length, int channel, int offset)`, in this shape alone.",
    },
    Explanation {
        code: "applet/native-entry",
        meaning: "A method that the NIC calls is declared `native`, so there is nothing to run.",
        example: "native int doRx(int length, int channel);",
        mend: "Give the method a body; the natives are for the applet to call.",
    },
    Explanation {
        code: "applet/not-judged",
        meaning: "The class was to run as an applet, but was judged as a class only. This is a bug of \
                  JIVE, not of the class.",
        example: "(no class should show this)",
        mend: "Please report it, with the class file.",
    },
    Explanation {
        code: "applet/final-rx-buf",
        meaning: "`RxBuf` is `final`, but the NIC sets it: to its receive buffer before each `doRx`.",
        example: "final byte[] RxBuf = new byte[9216];",
        mend: "Declare it as `byte[] RxBuf;` and leave it unassigned.",
    },
];
