//! Explanations of the family `malformed`: bytes that are not a class file (JVMS §4).

use super::Explanation;

/// The advice on how to fix a file that no Java compiler generates.
const DAMAGED: &str =
    "The file is damaged or truncated, or a tool generated it wrongly. Compile it again.";

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "malformed/truncated",
        meaning: "The file ends in the middle of a structure.",
        example: "head -c 100 Filter.class > Short.class",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/trailing-bytes",
        meaning: "Bytes follow the end of the class.",
        example: "cat Filter.class Filter.class > Long.class",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/magic",
        meaning: "The file does not start with the bytes `ca fe ba be`, the magic number of class \
                  files.",
        example: "jive verify Filter.java",
        fix: "Pass the `.class` file that `javac` wrote, not the source or an archive.",
    },
    Explanation {
        code: "malformed/version",
        meaning: "The version of the class file is unknown, or the file uses preview features.",
        example: "javac --enable-preview --release 21 Filter.java",
        fix: "Compile for an older release: `javac --release 8 Filter.java`.",
    },
    Explanation {
        code: "malformed/constant-pool-count",
        meaning: "`constant_pool_count` is 0. The count of an empty pool is 1.",
        example: "ca fe ba be 00 00 00 34 00 00",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/constant-tag",
        meaning: "A constant has an unknown tag.",
        example: "a constant with tag 2",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/constant-version",
        meaning: "A constant has a kind that this class file version does not define, or that is \
                  only permitted in modules.",
        example: "an InvokeDynamic constant in a class file of version 45",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/wide-constant",
        meaning: "The constant pool ends with a `Long` or `Double`, which takes two indices.",
        example: "a Long as the last constant",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/constant-index",
        meaning: "An index does not lead to a constant, or leads to a constant of the wrong kind.",
        example: "a class whose name is the constant #0",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/utf8",
        meaning: "A string constant is not valid modified UTF-8.",
        example: "a Utf8 constant that contains the byte 0x00 or 0xff",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/class-name",
        meaning: "A string is used as the name of a class, but is not valid as such. It is empty, \
                  or contains `.`, `;` or `[` where they are not permitted.",
        example: "java.lang.Object      // in class files it is java/lang/Object",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/field-name",
        meaning: "A string is used as the name of a field, but is not valid as such. It is empty, \
                  or contains `.`, `;`, `[` or `/`.",
        example: "a field named a/b",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/method-name",
        meaning: "A string is used as the name of a method, but is not valid as such. It is empty, \
                  or contains `.`, `;`, `[` or `/`. Only `<init>` and `<clinit>` may contain `<` \
                  and `>`.",
        example: "a method named <main>",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/module-name",
        meaning: "A string is used as the name of a module, but is not valid as such.",
        example: "a module named a:b, without a backslash before the colon",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/field-descriptor",
        meaning: "A string is used as a field descriptor, but is not valid as such.",
        example: "[        // the element type is missing",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/method-descriptor",
        meaning: "A string is used as a method descriptor, but is not valid as such.",
        example: "(II      // the closing parenthesis is missing",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/initializer-descriptor",
        meaning: "`<init>` has a result, or `<clinit>` has parameters or a result.",
        example: ".method <init>()I",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/method-handle-kind",
        meaning: "A method handle has an unknown kind.",
        example: "a MethodHandle of kind 10",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/class-flags",
        meaning: "The access flags of the class contradict each other.",
        example: "a class both final and abstract",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/field-flags",
        meaning: "The access flags of a field contradict each other.",
        example: "a field both private and public",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/method-flags",
        meaning: "The access flags of a method contradict each other.",
        example: "a method both abstract and static",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/module",
        meaning: "A module's class file is not named `module-info`, or has a superclass, interfaces or \
                  members.",
        example: "a module descriptor with a method",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/this-class",
        meaning: "The name of the class is that of an array class.",
        example: ".class [I",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/superclass",
        meaning: "The class has no superclass, although it is not `Object`, or it has a superclass \
                  that is not permitted.",
        example: ".super none",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/interface",
        meaning: "The class implements an interface twice, or an array class.",
        example: ".implements Runnable\n.implements Runnable",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/duplicate-field",
        meaning: "Two fields have the same name and type.",
        example: ".field count I\n.field count I",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/duplicate-method",
        meaning: "Two methods have the same name and descriptor.",
        example: ".method f()V\n.method f()V",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/duplicate-attribute",
        meaning: "An attribute that may occur only once occurs twice.",
        example: "a method with two Code attributes",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/attribute-length",
        meaning: "The contents of an attribute are shorter or longer than its length.",
        example: "a ConstantValue of length 3",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/constant-value",
        meaning: "The constant of a static field does not have the field's type.",
        example: "an int field whose ConstantValue is a Float",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/code-missing",
        meaning: "A method that is neither native nor abstract has no code.",
        example: ".method f()V          // and no Code attribute",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/code-present",
        meaning: "A native or abstract method has code.",
        example: ".method native f()V   // with a Code attribute",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/code-length",
        meaning: "A method's code is empty or longer than 65,535 bytes.",
        example: "a Code attribute with code_length 0",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/parameters-exceed-locals",
        meaning: "The parameters of a method need more local variables than it has.",
        example: ".method static f(II)V stack 0 locals 1",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/parameter-slots",
        meaning: "A method has more than 255 parameters, including `this`.",
        example: ".method f(I … 255 of them …)V",
        fix: "Pass an array.",
    },
    Explanation {
        code: "malformed/exception-table",
        meaning: "An entry of an exception table covers no code, or refers to code outside the \
                  method.",
        example: ".catch any from 5 to 5 using 9",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/line-number",
        meaning: "A line number refers to a pc outside the method's code.",
        example: "line 7 at pc 100, in 20 bytes of code",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/bootstrap-method",
        meaning: "A dynamic constant or call site refers to a bootstrap method that does not \
                  exist.",
        example: "an InvokeDynamic constant in a class without BootstrapMethods",
        fix: DAMAGED,
    },
];
