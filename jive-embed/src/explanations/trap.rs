//! Traps, by the name that a trace shows.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "ArithmeticException",
        meaning: "An `int` was divided by zero, by `/` or by `%`. `MIN_VALUE / -1` does not trap: it \
                  wraps, as in Java.",
        example: "int share = length / buffers;   // buffers is 0",
        mend: "Test the divisor first, and decide what a packet without it means.",
    },
    Explanation {
        code: "ArrayIndexOutOfBoundsException",
        meaning: "An array was read or written at an index below 0 or not below its length.",
        example: "byte type = RxBuf[offset];      // offset came from the packet, and is -1",
        mend: "Compare whatever comes out of a packet with `length` before indexing with it. `RxBuf` is \
               longer than most packets: an index can be inside the array and behind the packet.",
    },
    Explanation {
        code: "NegativeArraySizeException",
        meaning: "An array was to be created with a negative length, by `new` or by \
                  `newAlignedArray`.",
        example: "byte[] copy = new byte[length - 8];   // length is 5",
        mend: "Test the length first, or create the array once in the constructor and reuse it.",
    },
    Explanation {
        code: "NullPointerException",
        meaning: "A null reference was used as an array or an object, or given to a native.",
        example: "byte[] table;                   // never assigned\nint first = table[0];",
        mend: "Create arrays in the constructor or the static initializer. Only `RxBuf` is set by the \
               NIC.",
    },
    Explanation {
        code: "StackOverflowError",
        meaning: "A call found no room for its frame: calls are nested too deep. The place given is \
                  that of the call that could not be made.",
        example: "int sum(int n) { return n + sum(n - 1); }   // never ends",
        mend: "Turn the recursion into a loop, or bound its depth.",
    },
    Explanation {
        code: "OutOfMemoryError",
        meaning: "The applet's heap has no room for an array. Arrays made while `doTx` or `doRx` runs \
                  are freed when it returns; those made while loading stay.",
        example: "byte[] buffer = new byte[1000000];   // the heap has 16 KiB",
        mend: "Make fewer or smaller arrays, reuse them, or give the endpoint more `heap` in the \
               scenario.",
    },
    Explanation {
        code: "FuelExhausted",
        meaning: "The call executed as many instructions as its endpoint allows for one call. The \
                  instruction named was not executed.",
        example: "while (true) { }",
        mend: "Bound every loop by the packet's length or a constant; or give the endpoint more `fuel` \
               in the scenario.",
    },
    Explanation {
        code: "ProtectionFault",
        meaning: "A native was asked for something that the endpoint may not have. That may be bytes outside \
                  its buffer area or outside an array, or a channel that is not its own. It may be a \
                  packet longer than the NIC sends, more than 56 bytes in a receive descriptor, or more \
                  than 14 shares. The native did nothing.",
        example: "txPush(buf, 0, channel, 65536);   // a packet holds 9216 bytes",
        mend: "Check lengths and offsets that come from a packet or a descriptor before a native gets \
               them. `jive run` shows the native's arguments in its trace.",
    },
    Explanation {
        code: "QuotaExceeded",
        meaning: "The call asked a native for more than one call may have: bytes by DMA, both directions \
                  together, or packets. The profile's `[quota]` says how much that is. The native did \
                  nothing.",
        example: "while (true) {\n    txPush(buf, 0, channel, 1);     // one call sends 64 packets at most\n}",
        mend: "Do less in one call: the user's next descriptor or the next packet is another. Or run \
               the scenario under a profile whose quota is larger.",
    },
    Explanation {
        code: "TransientEscape",
        meaning: "An array made while `doTx` or `doRx` runs was stored in a field. Its memory is free \
                  again when the call returns, so the field would point at nothing.",
        example: "int doRx(int length, int channel) {\n    last = new byte[length];        // last is a field\n    return 0;\n}",
        mend: "Create the array in the constructor and copy into it, or keep it in a local variable.",
    },
    Explanation {
        code: "Unverified",
        meaning: "The virtual machine met something that verification excludes. This is a bug of JIVE, \
                  not of the class.",
        example: "(no class should show this)",
        mend: "Please report it, with the class file.",
    },
];
