//! Explanations of traps, by the name that a trace shows.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "ArithmeticException",
        meaning: "`/` or `%` divided an `int` by zero. `MIN_VALUE / -1` does not trap: it wraps, \
                  as in Java.",
        example: "int share = length / buffers;   // buffers is 0",
        fix: "Test the divisor first, and decide how to handle such a packet.",
    },
    Explanation {
        code: "ArrayIndexOutOfBoundsException",
        meaning: "An array index was negative, or not less than the length of the array.",
        example: "byte type = RxBuf[offset];      // offset came from the packet, and is -1",
        fix: "Compare every value from a packet with `length` before you use it as an index. \
              `RxBuf` is longer than most packets, so an index can be inside the array but after \
              the end of the packet.",
    },
    Explanation {
        code: "NegativeArraySizeException",
        meaning: "`new` or `newAlignedArray` was called with a negative length.",
        example: "byte[] copy = new byte[length - 8];   // length is 5",
        fix: "Test the length first, or create the array once in the constructor and reuse it.",
    },
    Explanation {
        code: "NullPointerException",
        meaning: "A null reference was used as an array or an object, or passed to a native.",
        example: "byte[] table;                   // never assigned\nint first = table[0];",
        fix: "Create arrays in the constructor or the static initializer. The NIC sets only \
              `RxBuf`.",
    },
    Explanation {
        code: "StackOverflowError",
        meaning: "Calls were nested too deep: the call stack had no room for another frame. The \
                  location is that of the call that failed.",
        example: "int sum(int n) { return n + sum(n - 1); }   // never ends",
        fix: "Replace the recursion by a loop, or limit its depth.",
    },
    Explanation {
        code: "OutOfMemoryError",
        meaning: "The applet's heap has no room for an array. Arrays allocated by `doTx` or `doRx` \
                  are freed when the call returns. Arrays allocated while the applet is loaded are \
                  never freed.",
        example: "byte[] buffer = new byte[1000000];   // the heap has 16 KiB",
        fix: "Allocate fewer or smaller arrays, reuse them, or give the endpoint more `heap` in \
              the scenario.",
    },
    Explanation {
        code: "FuelExhausted",
        meaning: "The call executed as many instructions as its endpoint allows for a call. The \
                  instruction at the location was not executed.",
        example: "while (true) { }",
        fix: "Limit every loop by the length of the packet or a constant, or give the endpoint \
              more `fuel` in the scenario.",
    },
    Explanation {
        code: "ProtectionFault",
        meaning: "A native was called with arguments that the endpoint has no right to use. \
                  Examples are bytes outside of its buffer area or of an array, or a channel of \
                  another endpoint. Others are a packet that is too long for the NIC, more than 56 \
                  bytes or 14 buffers in a receive descriptor. The native had no effect.",
        example: "txPush(buf, 0, channel, 65536);   // a packet has at most 9216 bytes",
        fix: "Check lengths and offsets from a packet or a descriptor before you pass them to a \
              native. The trace of `jive run` shows the arguments of the native.",
    },
    Explanation {
        code: "QuotaExceeded",
        meaning: "The call exceeded its quota of bytes by DMA, in both directions together, or of \
                  packets. The profile sets the quota in `[quota]`. The native had no effect.",
        example: "while (true) {\n    txPush(buf, 0, channel, 1);     // a call sends at most 64 packets\n}",
        fix: "Do less in each call. The quota starts again with the next descriptor or packet. Or \
              run the scenario with a profile that has a larger quota.",
    },
    Explanation {
        code: "TransientEscape",
        meaning: "An array allocated by `doTx` or `doRx` was stored in a field. The array is freed \
                  when the call returns, so the field would refer to freed memory.",
        example: "int doRx(int length, int channel) {\n    last = new byte[length];        // last is a field\n    return 0;\n}",
        fix: "Create the array in the constructor and copy into it, or keep it in a local variable.",
    },
    Explanation {
        code: "Unverified",
        meaning: "The virtual machine found code that verification should have rejected. This is a \
                  bug in JIVE, not in the class.",
        example: "(no class should cause this)",
        fix: "Please report it, with the class file.",
    },
];
