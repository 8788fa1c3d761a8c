//! Explanations of the family `malformed`: files that are not class files (JVMS §4).

use super::Explanation;

/// The advice on how to fix a file that no Java compiler generates.
const DAMAGED: &str = "The class file is damaged or truncated, or a tool generated the class file \
                       wrongly. Compile the source again.";

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "malformed/truncated",
        meaning: "The class file ends in the middle of a structure, such as a constant or a \
                  method.",
        example: "head -c 100 Filter.class > Short.class",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/trailing-bytes",
        meaning: "The file contains more bytes after the end of the class.",
        example: "cat Filter.class Filter.class > Long.class",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/magic",
        meaning: "The file does not start with the bytes `ca fe ba be`, the magic number of class \
                  files.",
        example: "jive verify Filter.java",
        fix: "Pass the `.class` file that `javac` wrote, not the source file or an archive.",
    },
    Explanation {
        code: "malformed/version",
        meaning: "JIVE does not know the version of the class file, or the class file uses preview \
                  features.",
        example: "javac --enable-preview --release 21 Filter.java",
        fix: "Compile the source for an older release: `javac --release 8 Filter.java`.",
    },
    Explanation {
        code: "malformed/constant-pool-count",
        meaning: "The `constant_pool_count` of the class file is 0. The `constant_pool_count` of \
                  an empty constant pool is 1.",
        example: "ca fe ba be 00 00 00 34 00 00",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/constant-tag",
        meaning: "A constant in the constant pool has an unknown tag.",
        example: "a constant with tag 2",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/constant-version",
        meaning: "A constant has a kind that the class file's version does not define, or that \
                  only modules may contain.",
        example: "an InvokeDynamic constant in a class file of version 45",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/wide-constant",
        meaning: "A `Long` or `Double` constant takes two indices, but only one index is left in \
                  the constant pool.",
        example: "a Long as the last constant",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/constant-index",
        meaning: "A constant pool index refers to no constant, or to a constant of the wrong kind.",
        example: "a class whose name is the constant #0",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/utf8",
        meaning: "A `Utf8` constant is not valid modified UTF-8.",
        example: "a Utf8 constant that contains the byte 0x00 or 0xff",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/class-name",
        meaning: "A string is used as the name of a class, but is not a valid class name. A class \
                  name must not be empty. Only the name of an array class may contain `;` or `[`, \
                  and no class name contains `.`.",
        example: "java.lang.Object      // in class files it is java/lang/Object",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/field-name",
        meaning: "A string is used as the name of a field, but is not a valid field name. A field \
                  name must not be empty, and must not contain `.`, `;`, `[` or `/`.",
        example: "a field named a/b",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/method-name",
        meaning: "A string is used as the name of a method, but is not a valid method name. A \
                  method name must not be empty, and must not contain `.`, `;`, `[` or `/`. Only \
                  the method names `<init>` and `<clinit>` may contain `<` and `>`.",
        example: "a method named <main>",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/module-name",
        meaning: "A string is used as the name of a module, but is not a valid module name.",
        example: "a module named a:b, without a backslash before the colon",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/field-descriptor",
        meaning: "A string is used as a field descriptor, but is not a valid field descriptor.",
        example: "[        // the element type is missing",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/method-descriptor",
        meaning: "A string is used as a method descriptor, but is not a valid method descriptor.",
        example: "(II      // the closing parenthesis is missing",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/initializer-descriptor",
        meaning: "The descriptor of `<init>` or `<clinit>` has a result, or `<clinit>` has \
                  parameters in a class file of version 51 or newer.",
        example: ".method <init>()I",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/method-handle-kind",
        meaning: "The kind of a `MethodHandle` constant is not a number from 1 to 9.",
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
        meaning: "The class file of a module is not named `module-info`, or has a superclass, \
                  interfaces, fields or methods.",
        example: "a module descriptor with a method",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/this-class",
        meaning: "The name of the class is the name of an array class.",
        example: ".class [I",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/superclass",
        meaning: "A class other than `Object` has no superclass, or the class has a superclass \
                  that is not permitted. The superclass of a class must not be an array class. The \
                  superclass of an interface must be `Object`.",
        example: ".super none",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/interface",
        meaning: "The class lists an interface twice, or lists an array class as an interface.",
        example: ".implements Runnable\n.implements Runnable",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/duplicate-field",
        meaning: "Two fields of the class have the same name and descriptor.",
        example: ".field count I\n.field count I",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/duplicate-method",
        meaning: "Two methods of the class have the same name and descriptor.",
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
        meaning: "The contents of an attribute are shorter or longer than the attribute's \
                  `attribute_length`.",
        example: "a ConstantValue of length 3",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/constant-value",
        meaning: "The `ConstantValue` of a static field does not have the type of the field.",
        example: "an int field whose ConstantValue is a Float",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/code-missing",
        meaning: "A method that is neither native nor abstract has no `Code` attribute.",
        example: ".method f()V          // and no Code attribute",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/code-present",
        meaning: "A native or abstract method has a `Code` attribute.",
        example: ".method native f()V   // with a Code attribute",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/code-length",
        meaning: "The code of a method is empty or longer than 65,535 bytes.",
        example: "a Code attribute with code_length 0",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/parameters-exceed-locals",
        meaning: "The parameters of a method need more local variables than the method's \
                  `max_locals`.",
        example: ".method static f(II)V stack 0 locals 1",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/parameter-slots",
        meaning: "The parameters of a method, including `this`, take more than 255 local \
                  variables. A `long` or `double` parameter takes two local variables.",
        example: ".method f(I … 255 of them …)V",
        fix: "Pass the values to the method in an array.",
    },
    Explanation {
        code: "malformed/exception-table",
        meaning: "An entry of a method's exception table covers no code, or refers to a pc outside \
                  the method's code.",
        example: ".catch any from 5 to 5 using 9",
        fix: DAMAGED,
    },
    Explanation {
        code: "malformed/line-number",
        meaning: "An entry of a `LineNumberTable` refers to a pc outside the method's code.",
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
