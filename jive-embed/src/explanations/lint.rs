//! Explanations of the family `lint`: warnings about classes that the verifier accepts.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "lint/stale-bytes",
        meaning: "`doRx` reads `RxBuf` on a path that has not tested `length`. The NIC reuses \
                  `RxBuf`, so bytes of `RxBuf` at or beyond index `length` belong to an earlier \
                  packet. `lint/stale-bytes` does not examine reads of `RxBuf` in methods other \
                  than `doRx`.",
        example: "static int doRx(int length, int channel) {\n    return RxBuf[9] == 17 ? accept(length) : 0;   // a packet of 1 byte has no byte 9\n}",
        fix: "Test `length` before the read of `RxBuf`: `if (length <= 9) return 0;`.",
    },
    Explanation {
        code: "lint/byte-range",
        meaning: "A `byte` is compared with a number outside -128 to 127. A `byte` of Java has a \
                  sign, so a comparison of a `byte` with a number outside -128 to 127 always has \
                  the same result.",
        example: "if (RxBuf[0] == 0xff) { }   // RxBuf[0] is -1 then",
        fix: "Mask the byte, as in `(RxBuf[0] & 0xff) == 0xff`, or compare the byte with `(byte) \
              0xff`.",
    },
    Explanation {
        code: "lint/byte-sign",
        meaning: "An expression composes a number from several bytes, and a byte below the highest \
                  byte keeps its sign. A negative byte changes all higher bits of the composed \
                  number.",
        example: "int port = (RxBuf[2] & 0xff) << 8 | RxBuf[3];   // -1 if RxBuf[3] is 0xff",
        fix: "Mask each byte with `& 0xff`: `(RxBuf[2] & 0xff) << 8 | RxBuf[3] & 0xff`.",
    },
    Explanation {
        code: "lint/byte-computed",
        meaning: "A `byte` is compared for equality with a computed number, such as a sum or `x & \
                  0xff`. A `byte` of Java has a sign, so no `byte` equals a computed number of 128 \
                  or more.",
        example: "int sum = 0;\nfor (int i = 1; i < 4; i++) sum += RxBuf[i];\nif (RxBuf[0] == (sum & 0xff)) { }   // never true from 128 on",
        fix: "Mask the byte, as in `(RxBuf[0] & 0xff) == (sum & 0xff)`, or narrow the computed \
              number: `RxBuf[0] == (byte) sum`.",
    },
    Explanation {
        code: "lint/unbounded-loop",
        meaning: "JIVE finds no test in a loop that compares a stepped local variable with a bound \
                  that the loop does not change. The loop may still end, but JIVE cannot prove \
                  that the loop ends. A call with an endless loop stops with the trap \
                  `FuelExhausted`.",
        example: "while (RxBuf[at] != 0) {\n    at += RxBuf[at];   // 0 and negative steps are possible\n}",
        fix: "Count the rounds of the loop up to a maximum: `for (int i = 0; i < ROUNDS_MAX && \
              more; i++)`.",
    },
    Explanation {
        code: "lint/loop-allocation",
        meaning: "A loop allocates an array in each round. The heap has no garbage collection \
                  during a call, so the call may end with the trap `OutOfMemoryError`.",
        example: "for (int i = 0; i < length; i++) {\n    int[] pair = new int[2];\n    pair[0] = i;\n}",
        fix: "Allocate the array once, before the loop or in a `static final` field.",
    },
    Explanation {
        code: "lint/lost-buffer",
        meaning: "`getFreeBuffer()` pops a buffer from the free queue, but no receive descriptor \
                  names the buffer. The class never calls `dmaRxd`, or discards the result of \
                  `getFreeBuffer()`. The host program cannot give back a buffer that no receive \
                  descriptor names, so the free queue runs empty.",
        example: "if (getFreeBuffer() == -1) return 0;   // the offset is lost\ndmaRxdPayload(RxBuf, channel, length);",
        fix: "Store the offset of the free buffer, and name the buffer in a receive descriptor: \
              `OFFSETS[0] = buffer; dmaRxd(OFFSETS, channel, length);`.",
    },
    Explanation {
        code: "lint/array-escape",
        meaning: "A method stores an array that it made itself in a field. The arrays of a call \
                  are freed at the end of the call, so no field can keep one: the store traps \
                  with `TransientEscape`. Arrays that the static initializer or the constructor \
                  makes are kept, and so are those of methods that they call.",
        example: "static int[] seen;\n\nstatic int doRx(int length, int channel) {\n    seen = new int[16];   // freed when doRx returns\n    return 0;\n}",
        fix: "Make the array in the field's declaration, as in `static final int[] SEEN = new \
              int[16];`, and fill it anew in the call.",
    },
    Explanation {
        code: "lint/unassigned-array",
        meaning: "A method uses the elements or the length of an array in an instance field that \
                  no code of the class assigns. Every instance has `null` there, so the use traps \
                  with `NullPointerException`. Fields that are `static` get no warning, because a \
                  scenario can set them, nor does `RxBuf`, which the NIC sets.",
        example: "int[] counts;   // never assigned\n\nvoid count(int channel) {\n    counts[channel]++;\n}",
        fix: "Assign the field where it is declared: `final int[] counts = new int[16];`.",
    },
    Explanation {
        code: "lint/heap-demand",
        meaning: "The arrays that a method certainly makes, or one array that it may make, take \
                  more bytes than the default heap has. Without a larger heap the class cannot be \
                  loaded, or the call traps with `OutOfMemoryError`. Each array also has a header.",
        example: "static final int[] TABLE = new int[100000];   // 400 KB",
        fix: "Make the arrays smaller, or give the applet a larger heap: `heap = \"512KiB\"` of \
              its `[[endpoint]]`.",
    },
];
