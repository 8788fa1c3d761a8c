//! Explanations of traps, by the name that a trace shows.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "ArithmeticException",
        meaning: "`/` or `%` divides an `int` by zero. `MIN_VALUE / -1` does not trap: the \
                  division wraps around, as in Java.",
        example: "int share = length / buffers;   // buffers is 0",
        fix: "Test the divisor before the division, and decide how to handle a packet with a \
              divisor of zero.",
    },
    Explanation {
        code: "ArrayIndexOutOfBoundsException",
        meaning: "An array index is negative, or is not less than the length of the array.",
        example: "byte type = RxBuf[offset];      // offset came from the packet, and is -1",
        fix: "Compare every value from a packet with `length` before you use the value as an \
              index. `RxBuf` is longer than most packets, so an index can be inside `RxBuf` but \
              after the end of the packet.",
    },
    Explanation {
        code: "NegativeArraySizeException",
        meaning: "The code passes a negative length to `new` or `newAlignedArray`.",
        example: "byte[] copy = new byte[length - 8];   // length is 5",
        fix: "Test the length before the allocation, or allocate the array once in the constructor \
              and reuse the array.",
    },
    Explanation {
        code: "NullPointerException",
        meaning: "The code uses a null reference as an array or an object, or passes a null \
                  reference to a native.",
        example: "byte[] table;                   // never assigned\nint first = table[0];",
        fix: "Create arrays in the constructor or the static initializer. `RxBuf` is the only \
              array field that the NIC sets.",
    },
    Explanation {
        code: "StackOverflowError",
        meaning: "Method calls are nested too deep, so the call stack has no room for another \
                  frame. The location of the trap is the call instruction that failed.",
        example: "int sum(int n) { return n + sum(n - 1); }   // never ends",
        fix: "Replace the recursion by a loop, or limit the depth of the recursion.",
    },
    Explanation {
        code: "OutOfMemoryError",
        meaning: "The applet's heap has no room for a new array. Arrays that a call such as `doTx` \
                  or `doRx` allocates are freed when the call ends. Arrays that the static \
                  initializer or the constructor allocates live as long as the applet.",
        example: "byte[] buffer = new byte[1000000];   // the heap has 16 KiB",
        fix: "Allocate fewer or smaller arrays, reuse arrays, or give the endpoint more `heap` in \
              the scenario.",
    },
    Explanation {
        code: "FuelExhausted",
        meaning: "The call has used up its `fuel`, the number of instructions that the endpoint \
                  allows for one call. The instruction at the location of the trap was not \
                  executed.",
        example: "while (true) { }",
        fix: "Limit every loop by the length of the packet or a constant, or give the endpoint \
              more `fuel` in the scenario.",
    },
    Explanation {
        code: "ProtectionFault",
        meaning: "The applet calls a native with an argument that the endpoint has no right to \
                  use. For example, an argument of the native names bytes outside of an array or \
                  of the endpoint's buffer area, or a channel of another endpoint. \
                  `ProtectionFault` also means that a packet is too long for the NIC, or that a \
                  receive descriptor has more than 56 bytes or 14 buffers. A native that traps \
                  with `ProtectionFault` has no effect.",
        example: "txPush(buf, 0, channel, 65536);   // a packet has at most 9216 bytes",
        fix: "Check lengths and offsets from a packet or a descriptor before you pass the lengths \
              and offsets to a native. The trace of `jive run` shows the arguments of the native.",
    },
    Explanation {
        code: "QuotaExceeded",
        meaning: "A native would exceed the call's quota of packets, or of bytes moved by DMA in \
                  both directions together. The section `[quota]` of the profile sets the quota. A \
                  native that traps with `QuotaExceeded` has no effect.",
        example: "while (true) {\n    txPush(buf, 0, channel, 1);     // a call sends at most 64 packets\n}",
        fix: "Move fewer bytes and send fewer packets in each call, or run the scenario with a \
              profile that has a larger quota. Each call of an applet has a quota of its own.",
    },
    Explanation {
        code: "TransientEscape",
        meaning: "The code stores an array in a field, but allocated the array during a call such \
                  as `doTx` or `doRx`. Arrays of a call are freed when the call ends, so the field \
                  would refer to freed memory. For the same reason `windowRead` takes no such \
                  array: its bytes come after the call.",
        example: "int doRx(int length, int channel) {\n    last = new byte[length];        // last is a field\n    return 0;\n}",
        fix: "Create the array in the constructor and copy the bytes into the array, or keep the \
              array in a local variable.",
    },
    Explanation {
        code: "BufferState",
        meaning: "A program on the host asks for something that the state of its buffer forbids. \
                  For example, it frees a buffer that has an array, asks for the array as another \
                  type, or posts a buffer that it has left to the collector. The trace shows the \
                  state of the buffer and what the program asked for.",
        example: "byte[] bytes = toByteArray(buffer);\nint[] ints = toIntArray(buffer);   // the buffer has a byte[]",
        fix: "Call `unRef` to part with the array, and wait for the call of `unreferenced` before \
              you free the buffer or use it as another type. Deregister a buffer before you free \
              it. The table of states in docs/javia.md says what is allowed when.",
    },
    Explanation {
        code: "Unverified",
        meaning: "The virtual machine finds code that verification should have rejected. The cause \
                  of `Unverified` is a bug in JIVE, not in the class.",
        example: "(no class should cause this)",
        fix: "Report the bug in JIVE, and attach the class file to the report.",
    },
];
