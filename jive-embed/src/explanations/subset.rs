//! Explanations of the family `subset`: valid Java that JIVE does not support.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "subset/char",
        meaning: "The class uses `char`, as a type or in an instruction.",
        example: "char c = 'a';",
        fix: "Use `int`, or `byte` for the bytes of a packet. `int c = 'a';` is permitted.",
    },
    Explanation {
        code: "subset/long",
        meaning: "The class uses `long`, as a type, as a constant or in an instruction.",
        example: "long sequence;",
        fix: "Use `int`. For 64 bits, use a high and a low word.",
    },
    Explanation {
        code: "subset/float",
        meaning: "The class uses `float`, as a type, as a constant or in an instruction.",
        example: "float rate = 0.5f;",
        fix: "Use integers: scale values, for example to thousandths, or shift them.",
    },
    Explanation {
        code: "subset/double",
        meaning: "The class uses `double`, as a type, as a constant or in an instruction.",
        example: "double rate = 0.5;",
        fix: "Use integers: scale values, for example to thousandths, or shift them.",
    },
    Explanation {
        code: "subset/string",
        meaning: "The class uses `String`, as a type or as a constant.",
        example: "String name = \"abc\";",
        fix: "Use a byte array: `byte[] name = { 'a', 'b', 'c' };`.",
    },
    Explanation {
        code: "subset/foreign-type",
        meaning: "The class uses another class as a type. An applet is a single class.",
        example: "Object owner;",
        fix: "Store the other class's values in fields or arrays of the applet.",
    },
    Explanation {
        code: "subset/reference-array",
        meaning: "The class uses an array of arrays or of objects.",
        example: "byte[][] table = new byte[4][16];",
        fix: "Use a single array and compute the index: `table[row * 16 + column]`.",
    },
    Explanation {
        code: "subset/class-constant",
        meaning: "An instruction loads a class literal.",
        example: "Object lock = Filter.class;",
        fix: "Remove the literal. Applets have no class objects.",
    },
    Explanation {
        code: "subset/method-handle",
        meaning: "An instruction loads a method handle or a method type.",
        example: "ldc of a MethodHandle",
        fix: "Call the method directly.",
    },
    Explanation {
        code: "subset/dynamic-constant",
        meaning: "An instruction loads a constant that a bootstrap method would compute at run \
                  time.",
        example: "ldc of a Dynamic constant",
        fix: "Compute the value in the static initializer.",
    },
    Explanation {
        code: "subset/new-object",
        meaning: "An instruction creates an object. The NIC creates the only instance of an \
                  applet, and there are no other objects except arrays.",
        example: "Filter other = new Filter();",
        fix: "Store the state in fields or arrays.",
    },
    Explanation {
        code: "subset/type-test",
        meaning: "A cast or `instanceof` tests a type at run time.",
        example: "if (x instanceof Filter) { }",
        fix: "Declare the variable with its actual type.",
    },
    Explanation {
        code: "subset/throw",
        meaning: "An instruction throws an exception.",
        example: "throw new RuntimeException();",
        fix: "Return a number that tells what happened. `return 0;` drops the packet.",
    },
    Explanation {
        code: "subset/exception-handler",
        meaning: "The method has a `try` with a `catch` or `finally`.",
        example: "try { x = a[i]; } catch (RuntimeException e) { x = 0; }",
        fix: "Test before the access: `x = i >= 0 && i < a.length ? a[i] : 0;`.",
    },
    Explanation {
        code: "subset/monitor",
        meaning: "The method has a `synchronized` block. Applets have no threads.",
        example: "synchronized (this) { count++; }",
        fix: "Remove `synchronized`. Calls of an applet never run at the same time.",
    },
    Explanation {
        code: "subset/synchronized-method",
        meaning: "A method is `synchronized`. Applets have no threads.",
        example: "synchronized int doRx(int length, int channel) { return 0; }",
        fix: "Remove the modifier. Calls of an applet never run at the same time.",
    },
    Explanation {
        code: "subset/subroutine",
        meaning: "The code contains `jsr` or `ret`, which compilers before Java 6 generated for \
                  `finally`.",
        example: "jsr CLEANUP",
        fix: "Compile with a newer compiler, or copy the code of `finally` to each end of the \
              method.",
    },
    Explanation {
        code: "subset/invokeinterface",
        meaning: "An instruction calls a method through an interface.",
        example: "Runnable r; r.run();",
        fix: "Call a method of the class itself.",
    },
    Explanation {
        code: "subset/invokedynamic",
        meaning: "A call is linked at run time. It comes from a lambda, a method reference, or a \
                  string concatenation with `+`.",
        example: "Runnable r = () -> count++;",
        fix: "Write a method of the class and call it.",
    },
    Explanation {
        code: "subset/interface",
        meaning: "The file contains an interface or an annotation.",
        example: "interface Filter { }",
        fix: "Write a class.",
    },
    Explanation {
        code: "subset/module",
        meaning: "The file contains a module descriptor.",
        example: "module-info.class",
        fix: "Pass the class file of the applet.",
    },
    Explanation {
        code: "subset/superclass",
        meaning: "The superclass is not `Object`.",
        example: "class Filter extends Base { }",
        fix: "Copy the code that is needed from the superclass, and remove `extends`.",
    },
    Explanation {
        code: "subset/implements",
        meaning: "The class implements interfaces.",
        example: "class Filter implements Runnable { }",
        fix: "Remove `implements`.",
    },
    Explanation {
        code: "subset/abstract-method",
        meaning: "A method is `abstract`.",
        example: "abstract int hash(int length);",
        fix: "Give it a body.",
    },
    Explanation {
        code: "subset/overloaded-method",
        meaning: "Two methods of the class have the same name.",
        example: "int hash(int a) { return a; }\nint hash(int a, int b) { return a + b; }",
        fix: "Give each method its own name. A class can have only one constructor.",
    },
    Explanation {
        code: "subset/class-initializer",
        meaning: "A `<clinit>` is not `static` or has parameters, so no JVM would call it.",
        example: ".method <clinit>()V     // not static, version 51 or newer",
        fix: "No Java compiler generates this. Correct the tool that generated or changed the \
              class file.",
    },
    Explanation {
        code: "subset/unknown-native",
        meaning: "The class declares a `native` method that the NIC does not have, or that has \
                  another descriptor there.",
        example: "native int getFreeBufer();",
        fix: "Compare the declaration with `unet/Nic.java`, which `jive stub` prints.",
    },
    Explanation {
        code: "subset/unresolved-native",
        meaning: "The class calls a method of `unet/Nic` that the NIC does not have, or that has \
                  another descriptor there.",
        example: "unet.Nic.send(buf);",
        fix: "Compile against the stub of this version, which `jive stub` prints.",
    },
    Explanation {
        code: "subset/unresolved-field",
        meaning: "The code accesses a field that the class does not have, or that has another \
                  type. Or the code accesses an instance field as static, or a static field as \
                  instance field.",
        example: "a class file that was compiled against another version of itself",
        fix: "Compile everything again.",
    },
    Explanation {
        code: "subset/unresolved-method",
        meaning: "The code calls a method that the class does not have, or that has another \
                  descriptor. Methods inherited from `Object` are not available.",
        example: "int h = hashCode();",
        fix: "Compile everything again, and write the missing method.",
    },
    Explanation {
        code: "subset/foreign-field",
        meaning: "The code accesses a field of another class.",
        example: "System.out",
        fix: "Copy the field into the applet.",
    },
    Explanation {
        code: "subset/foreign-method",
        meaning: "The code calls a method of another class that is not a native of the NIC. \
                  Compilers also insert such calls. For a constant that is read through a \
                  reference, as in `other.LIMIT`, they insert `Objects.requireNonNull`. For a \
                  variable of type `Integer`, they insert `Integer.valueOf`.",
        example: "int m = Math.max(a, b);",
        fix: "Write the code in place of the call, such as `a > b ? a : b`, or copy the method to \
              the applet.",
    },
    Explanation {
        code: "subset/constructor-call",
        meaning: "A constructor calls another constructor of the class.",
        example: "Filter() { this(16); }",
        fix: "An applet has only one constructor. Move all code there.",
    },
    Explanation {
        code: "subset/final-store",
        meaning: "The code stores to a `final` field outside of the initializer that may set it.",
        example: "static final int LIMIT = 5;\nvoid raise() { LIMIT = 6; }     // no Java compiler generates this",
        fix: "Remove `final`, or set the field in the initializer.",
    },
];
