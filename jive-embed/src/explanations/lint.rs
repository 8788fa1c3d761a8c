//! The family `lint`: warnings about classes that are accepted.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "lint/stale-bytes",
        meaning: "`doRx` reads `RxBuf` on a path that has not tested `length`. `RxBuf` is reused, so beyond \
                  `length` it still has the bytes of an earlier packet. A lookup in a helper method is not \
                  examined.",
        example: "static int doRx(int length, int channel) {\n    return RxBuf[9] == 17 ? accept(length) : 0;   // a packet of 1 byte has no byte 9\n}",
        fix: "Test the length first: `if (length <= 9) return 0;`.",
    },
    Explanation {
        code: "lint/byte-range",
        meaning: "A `byte` is compared with a number outside -128 to 127. A `byte` of Java has a sign, so \
                  the comparison always has the same result.",
        example: "if (RxBuf[0] == 0xff) { }   // RxBuf[0] is -1 then",
        fix: "Mask the byte, `(RxBuf[0] & 0xff) == 0xff`, or compare with `(byte) 0xff`.",
    },
    Explanation {
        code: "lint/byte-sign",
        meaning: "A number is composed of bytes, and a byte below its highest keeps its sign. A byte of 128 \
                  or more then changes all higher bits.",
        example: "int port = (RxBuf[2] & 0xff) << 8 | RxBuf[3];   // -1 if RxBuf[3] is 0xff",
        fix: "Mask each byte: `(RxBuf[2] & 0xff) << 8 | RxBuf[3] & 0xff`.",
    },
    Explanation {
        code: "lint/byte-computed",
        meaning: "A `byte` is compared for equality with a number that arithmetic made, such as a sum or `x & 0xff`. A \
                  `byte` of Java has a sign, so from 128 on the two differ although their bits are equal.",
        example: "int sum = 0;\nfor (int i = 1; i < 4; i++) sum += RxBuf[i];\nif (RxBuf[0] == (sum & 0xff)) { }   // never true from 128 on",
        fix: "Mask the byte, `(RxBuf[0] & 0xff) == (sum & 0xff)`, or narrow the number: `RxBuf[0] == (byte) sum`.",
    },
    Explanation {
        code: "lint/unbounded-loop",
        meaning: "No test of the loop compares a local variable that steps towards a bound with a bound \
                  that the loop leaves alone. The loop may end all the same; nothing proves it. A call that \
                  does not end stops with `FuelExhausted`, and the packet is dropped.",
        example: "while (RxBuf[at] != 0) {\n    at += RxBuf[at];   // 0 and negative steps are possible\n}",
        fix: "Count the rounds: `for (int i = 0; i < ROUNDS_MAX && more; i++)`.",
    },
    Explanation {
        code: "lint/loop-allocation",
        meaning: "A loop makes an array in each round. The heap has no garbage collection within a call, so \
                  the call may end with `OutOfMemoryError`.",
        example: "for (int i = 0; i < length; i++) {\n    int[] pair = new int[2];\n    pair[0] = i;\n}",
        fix: "Make the array once, before the loop or in a `static final` field.",
    },
    Explanation {
        code: "lint/lost-buffer",
        meaning: "`getFreeBuffer()` takes a buffer from the free queue, and no descriptor names it: the class \
                  never calls `dmaRxd`, or the result is thrown away. The user cannot give the buffer back, so \
                  the free queue runs empty.",
        example: "if (getFreeBuffer() == -1) return 0;   // the offset is lost\ndmaRxdPayload(RxBuf, channel, length);",
        fix: "Keep the offset, and name it: `OFFSETS[0] = buffer; dmaRxd(OFFSETS, channel, length);`.",
    },
];
