//! The family `subset`: fine Java that has no place on a NIC.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "subset/char",
        meaning: "`char` is used as a type or by an instruction.",
        example: "char c = 'a';",
        mend: "Use `int`, or `byte` for what lies in packets: `int c = 'a';` is fine.",
    },
    Explanation {
        code: "subset/long",
        meaning: "`long` is used as a type, a constant or by an instruction.",
        example: "long sequence;",
        mend: "Use `int`, or two of them for 64 bits: a high and a low word.",
    },
    Explanation {
        code: "subset/float",
        meaning: "`float` is used as a type, a constant or by an instruction.",
        example: "float rate = 0.5f;",
        mend: "Scale to whole numbers: count in thousandths, or shift.",
    },
    Explanation {
        code: "subset/double",
        meaning: "`double` is used as a type, a constant or by an instruction.",
        example: "double rate = 0.5;",
        mend: "Scale to whole numbers: count in thousandths, or shift.",
    },
    Explanation {
        code: "subset/string",
        meaning: "`String` is used as a type or a constant.",
        example: "String name = \"abc\";",
        mend: "Use a byte array: `byte[] name = { 'a', 'b', 'c' };`.",
    },
    Explanation {
        code: "subset/foreign-type",
        meaning: "Another class is used as a type. An applet is one class.",
        example: "Object owner;",
        mend: "Keep the other class's values in fields or arrays of the applet.",
    },
    Explanation {
        code: "subset/reference-array",
        meaning: "An array of arrays, or of objects, is used.",
        example: "byte[][] table = new byte[4][16];",
        mend: "Use one array and compute the index: `table[row * 16 + column]`.",
    },
    Explanation {
        code: "subset/class-constant",
        meaning: "A class literal is loaded.",
        example: "Object lock = Filter.class;",
        mend: "Applets have no class objects; leave it out.",
    },
    Explanation {
        code: "subset/method-handle",
        meaning: "A method handle or method type is loaded as a constant.",
        example: "ldc of a MethodHandle",
        mend: "Call the method itself.",
    },
    Explanation {
        code: "subset/dynamic-constant",
        meaning: "A constant is loaded that a bootstrap method would compute at run time.",
        example: "ldc of a Dynamic constant",
        mend: "Compute the value in the static initializer.",
    },
    Explanation {
        code: "subset/new-object",
        meaning: "An object is created. The applet's one instance is made by the NIC, and there is no \
                  other object but arrays.",
        example: "Filter other = new Filter();",
        mend: "Keep the state in fields or arrays.",
    },
    Explanation {
        code: "subset/type-test",
        meaning: "A type is asked for at run time, by a cast or `instanceof`.",
        example: "if (x instanceof Filter) { }",
        mend: "Give the variable the type that it has.",
    },
    Explanation {
        code: "subset/throw",
        meaning: "An exception is thrown.",
        example: "throw new RuntimeException();",
        mend: "Return a number that says what happened; `return 0;` drops the packet.",
    },
    Explanation {
        code: "subset/exception-handler",
        meaning: "The method has a `try` with a `catch` or `finally`.",
        example: "try { x = a[i]; } catch (RuntimeException e) { x = 0; }",
        mend: "Test first: `x = i >= 0 && i < a.length ? a[i] : 0;`.",
    },
    Explanation {
        code: "subset/monitor",
        meaning: "A `synchronized` block is used. Applets have no threads.",
        example: "synchronized (this) { count++; }",
        mend: "Leave it out: one call of an applet runs at a time.",
    },
    Explanation {
        code: "subset/synchronized-method",
        meaning: "A method is `synchronized`. Applets have no threads.",
        example: "synchronized int doRx(int length, int channel) { return 0; }",
        mend: "Leave the modifier out: one call of an applet runs at a time.",
    },
    Explanation {
        code: "subset/subroutine",
        meaning: "`jsr` or `ret` is used, which compilers before Java 6 wrote for `finally`.",
        example: "jsr CLEANUP",
        mend: "Write what `finally` did at each end of the method.",
    },
    Explanation {
        code: "subset/invokeinterface",
        meaning: "A method is called through an interface.",
        example: "Runnable r; r.run();",
        mend: "Call a method of the class itself.",
    },
    Explanation {
        code: "subset/invokedynamic",
        meaning: "A call is linked at run time: a lambda, a method reference, or joining strings with `+`.",
        example: "Runnable r = () -> count++;",
        mend: "Write a method of the class and call it.",
    },
    Explanation {
        code: "subset/interface",
        meaning: "The file holds an interface or annotation.",
        example: "interface Filter { }",
        mend: "Write a class.",
    },
    Explanation {
        code: "subset/module",
        meaning: "The file holds a module descriptor.",
        example: "module-info.class",
        mend: "Give `jive` the class file of the applet.",
    },
    Explanation {
        code: "subset/superclass",
        meaning: "The class extends another one than `Object`.",
        example: "class Filter extends Base { }",
        mend: "Copy what is needed of the other class.",
    },
    Explanation {
        code: "subset/implements",
        meaning: "The class implements interfaces.",
        example: "class Filter implements Runnable { }",
        mend: "Leave `implements` out.",
    },
    Explanation {
        code: "subset/abstract-method",
        meaning: "A method is `abstract`.",
        example: "abstract int hash(int length);",
        mend: "Give it a body.",
    },
    Explanation {
        code: "subset/overloaded-method",
        meaning: "Two methods of the class have one name.",
        example: "int hash(int a) { return a; }\nint hash(int a, int b) { return a + b; }",
        mend: "Give each its own name. The constructor counts too: there is only one.",
    },
    Explanation {
        code: "subset/class-initializer",
        meaning: "A `<clinit>` is not `static` or takes parameters, so that no JVM would call it.",
        example: ".method <clinit>()V     // not static, version 51 or newer",
        mend: "Java compilers write it right. Mend the tool that made the class file.",
    },
    Explanation {
        code: "subset/unknown-native",
        meaning: "The class declares a `native` method that the NIC does not have, or with another \
                  descriptor.",
        example: "native int getFreeBufer();",
        mend: "Compare it with `unet/Nic.java`, which `jive stub` prints.",
    },
    Explanation {
        code: "subset/unresolved-native",
        meaning: "A method of `unet/Nic` is called that the NIC does not have, or with another \
                  descriptor.",
        example: "unet.Nic.send(buf);",
        mend: "Compile against the stub of this version, which `jive stub` prints.",
    },
    Explanation {
        code: "subset/unresolved-field",
        meaning: "The code names a field of the class that does not exist or is of another type. Or the \
                  field is static where an instance field is meant, or the other way round.",
        example: "a class file that was compiled against another version of itself",
        mend: "Compile everything again.",
    },
    Explanation {
        code: "subset/unresolved-method",
        meaning: "The code calls a method of the class that does not exist or does not fit. Methods of \
                  `Object` count as not existing.",
        example: "int h = hashCode();",
        mend: "Compile everything again; write the method that is missing.",
    },
    Explanation {
        code: "subset/foreign-field",
        meaning: "A field of another class is used.",
        example: "System.out",
        mend: "Copy the field into the applet.",
    },
    Explanation {
        code: "subset/foreign-method",
        meaning: "A method of another class is called that is not one of the NIC's natives. Compilers \
                  write some such calls by themselves. Reading a constant through a reference, as in \
                  `other.LIMIT`, becomes a call of `Objects.requireNonNull`. A variable of type \
                  `Integer` calls `Integer.valueOf`.",
        example: "int m = Math.max(a, b);",
        mend: "Write it out, as `a > b ? a : b`, or copy the method into the applet.",
    },
    Explanation {
        code: "subset/constructor-call",
        meaning: "A constructor calls another constructor of the class.",
        example: "Filter() { this(16); }",
        mend: "An applet has one constructor; put everything there.",
    },
    Explanation {
        code: "subset/final-store",
        meaning: "A `final` field is stored to outside the initializer that may set it.",
        example: "static final int LIMIT = 5;\nvoid raise() { LIMIT = 6; }     // no Java compiler writes this",
        mend: "Take `final` away, or set the field in the initializer.",
    },
];
