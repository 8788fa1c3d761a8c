//! The family `malformed`: bytes that are not a class file (JVMS §4).

use super::Explanation;

/// What to do about a file that no Java compiler writes.
const DAMAGED: &str =
    "The file is damaged or was cut, or a tool wrote it wrongly: compile it again.";

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "malformed/truncated",
        meaning: "The file ends inside something that it has begun.",
        example: "head -c 100 Filter.class > Short.class",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/trailing-bytes",
        meaning: "Bytes follow the end of the class.",
        example: "cat Filter.class Filter.class > Long.class",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/magic",
        meaning: "The file does not begin with the bytes `ca fe ba be`, as every class file does.",
        example: "jive verify Filter.java",
        mend: "Give `jive` the `.class` file that `javac` wrote, not the source or an archive.",
    },
    Explanation {
        code: "malformed/version",
        meaning: "The version of the class file is none that is known, or the file uses preview features.",
        example: "javac --enable-preview --release 21 Filter.java",
        mend: "Compile for an older release: `javac --release 8 Filter.java`.",
    },
    Explanation {
        code: "malformed/constant-pool-count",
        meaning: "`constant_pool_count` is 0; an empty pool has the count 1.",
        example: "ca fe ba be 00 00 00 34 00 00",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/constant-tag",
        meaning: "A constant has a tag that stands for no kind of constant.",
        example: "a constant with tag 2",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/constant-version",
        meaning: "A constant is of a kind that class files of this version do not have, or that only \
                  modules have.",
        example: "an InvokeDynamic constant in a class file of version 45",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/wide-constant",
        meaning: "The pool ends with a `Long` or `Double`, which take two indices.",
        example: "a Long as the last constant",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/constant-index",
        meaning: "An index leads to no constant, or to one of another kind than belongs there.",
        example: "a class whose name is the constant #0",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/utf8",
        meaning: "A string constant is not in the modified UTF-8 of class files.",
        example: "a Utf8 constant that holds the byte 0x00 or 0xff",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/class-name",
        meaning: "A string that should name a class cannot: it is empty or holds `.`, `;` or `[` where \
                  they may not be.",
        example: "java.lang.Object      // in class files it is java/lang/Object",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/field-name",
        meaning: "A string that should name a field cannot: it is empty or holds `.`, `;`, `[` or `/`.",
        example: "a field named a/b",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/method-name",
        meaning: "A string that should name a method cannot. It is empty, or holds `.`, `;`, `[` or `/`, or \
                  `<` or `>` without being `<init>` or `<clinit>`.",
        example: "a method named <main>",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/module-name",
        meaning: "A string that should name a module cannot.",
        example: "a module named a:b, without a backslash before the colon",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/field-descriptor",
        meaning: "A string that should describe a type does not.",
        example: "[        // an array of what?",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/method-descriptor",
        meaning: "A string that should describe parameters and result does not.",
        example: "(II      // where does it end?",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/initializer-descriptor",
        meaning: "`<init>` has a result, or `<clinit>` has parameters or a result.",
        example: ".method <init>()I",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/method-handle-kind",
        meaning: "A method handle is of a kind that does not exist.",
        example: "a MethodHandle of kind 10",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/class-flags",
        meaning: "The access flags of the class contradict each other.",
        example: "a class both final and abstract",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/field-flags",
        meaning: "The access flags of a field contradict each other.",
        example: "a field both private and public",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/method-flags",
        meaning: "The access flags of a method contradict each other.",
        example: "a method both abstract and static",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/module",
        meaning: "A module's class file is not named `module-info`, or has a superclass, interfaces or \
                  members.",
        example: "a module descriptor with a method",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/this-class",
        meaning: "The class names itself as an array.",
        example: ".class [I",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/superclass",
        meaning: "The class names no superclass, or one that it cannot have. Only `Object` has none.",
        example: ".super none",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/interface",
        meaning: "An interface is named twice, or is an array.",
        example: ".implements Runnable\n.implements Runnable",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/duplicate-field",
        meaning: "Two fields have the same name and type.",
        example: ".field count I\n.field count I",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/duplicate-method",
        meaning: "Two methods have the same name and descriptor.",
        example: ".method f()V\n.method f()V",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/duplicate-attribute",
        meaning: "An attribute that may stand once stands twice.",
        example: "a method with two Code attributes",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/attribute-length",
        meaning: "The contents of an attribute are shorter or longer than its length says.",
        example: "a ConstantValue of length 3",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/constant-value",
        meaning: "The constant of a static field is not of the field's type.",
        example: "an int field whose ConstantValue is a Float",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/code-missing",
        meaning: "A method that is neither native nor abstract has no code.",
        example: ".method f()V          // and no Code attribute",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/code-present",
        meaning: "A native or abstract method has code.",
        example: ".method native f()V   // with a Code attribute",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/code-length",
        meaning: "A method's code is empty or longer than 65,535 bytes.",
        example: "a Code attribute with code_length 0",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/parameters-exceed-locals",
        meaning: "The parameters of a method need more local variables than it has.",
        example: ".method static f(II)V stack 0 locals 1",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/parameter-slots",
        meaning: "A method has more than 255 parameters, `this` counted.",
        example: ".method f(I … 255 of them …)V",
        mend: "Pass an array.",
    },
    Explanation {
        code: "malformed/exception-table",
        meaning: "An entry of an exception table covers no code, or leaves the code.",
        example: ".catch any from 5 to 5 using 9",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/line-number",
        meaning: "A line number belongs to a place outside the code.",
        example: "line 7 at pc 100, of 20 bytes of code",
        mend: DAMAGED,
    },
    Explanation {
        code: "malformed/bootstrap-method",
        meaning: "A constant that is linked at run time names a bootstrap method that is not there.",
        example: "an InvokeDynamic constant in a class without BootstrapMethods",
        mend: DAMAGED,
    },
];
