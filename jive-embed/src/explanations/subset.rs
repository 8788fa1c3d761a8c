//! Explanations of the family `subset`: valid Java that JIVE does not support.

use super::Explanation;

pub(super) const ENTRIES: &[Explanation] = &[
    Explanation {
        code: "subset/char",
        meaning: "The class uses `char`, as a type or in an instruction.",
        example: "char c = 'a';",
        fix: "Use `int` in place of `char`, or `byte` for the bytes of a packet. The declaration \
              `int c = 'a';` is permitted.",
    },
    Explanation {
        code: "subset/long",
        meaning: "The class uses `long`, as a type, as a constant or in an instruction.",
        example: "long sequence;",
        fix: "Use `int`. For a number of 64 bits, use two `int` values, a high word and a low \
              word.",
    },
    Explanation {
        code: "subset/float",
        meaning: "The class uses `float`, as a type, as a constant or in an instruction.",
        example: "float rate = 0.5f;",
        fix: "Use integers in place of `float`: scale the numbers by 1,000, for example, or by a \
              power of two.",
    },
    Explanation {
        code: "subset/double",
        meaning: "The class uses `double`, as a type, as a constant or in an instruction.",
        example: "double rate = 0.5;",
        fix: "Use integers in place of `double`: scale the numbers by 1,000, for example, or by a \
              power of two.",
    },
    Explanation {
        code: "subset/string",
        meaning: "The class uses `String`, as a type or as a constant.",
        example: "String name = \"abc\";",
        fix: "Use a byte array in place of the string: `byte[] name = { 'a', 'b', 'c' };`.",
    },
    Explanation {
        code: "subset/foreign-type",
        meaning: "The class uses another class as a type. An applet is a single class.",
        example: "Object owner;",
        fix: "Store the values of the object in fields or arrays of the applet.",
    },
    Explanation {
        code: "subset/reference-array",
        meaning: "The class uses an array of arrays or of objects.",
        example: "byte[][] table = new byte[4][16];",
        fix: "Use a one-dimensional array, and compute the index: `table[row * 16 + column]`.",
    },
    Explanation {
        code: "subset/class-constant",
        meaning: "An instruction loads a class literal, such as `Filter.class`.",
        example: "Object lock = Filter.class;",
        fix: "Remove the class literal. Applets have no class objects.",
    },
    Explanation {
        code: "subset/method-handle",
        meaning: "An instruction loads a method handle or a method type.",
        example: "ldc of a MethodHandle",
        fix: "Call the method directly, without a method handle.",
    },
    Explanation {
        code: "subset/dynamic-constant",
        meaning: "An instruction loads a constant that a bootstrap method would compute at run \
                  time.",
        example: "ldc of a Dynamic constant",
        fix: "Compute the value of the constant in the static initializer.",
    },
    Explanation {
        code: "subset/new-object",
        meaning: "An instruction creates an object. The NIC creates the only instance of an \
                  applet, and the applet can create only arrays.",
        example: "Filter other = new Filter();",
        fix: "Store the state of the object in fields or arrays of the applet.",
    },
    Explanation {
        code: "subset/type-test",
        meaning: "A cast or `instanceof` tests a type at run time.",
        example: "if (x instanceof Filter) { }",
        fix: "Remove the cast or `instanceof`, and declare the variable with its actual type.",
    },
    Explanation {
        code: "subset/throw",
        meaning: "An instruction throws an exception.",
        example: "throw new RuntimeException();",
        fix: "Return a number that tells what happened, in place of the exception. In `doRx`, \
              `return 0;` drops the packet.",
    },
    Explanation {
        code: "subset/exception-handler",
        meaning: "A method has a `try` with a `catch` or `finally`.",
        example: "try { x = a[i]; } catch (RuntimeException e) { x = 0; }",
        fix: "Test the index before the array access, in place of `try`: `x = i >= 0 && i < \
              a.length ? a[i] : 0;`.",
    },
    Explanation {
        code: "subset/monitor",
        meaning: "A method has a `synchronized` block. Applets have no threads.",
        example: "synchronized (this) { count++; }",
        fix: "Replace the `synchronized` block by its statements. Two calls of an applet never run \
              at the same time.",
    },
    Explanation {
        code: "subset/synchronized-method",
        meaning: "A method of the class is `synchronized`. Applets have no threads.",
        example: "synchronized int doRx(int length, int channel) { return 0; }",
        fix: "Remove the modifier `synchronized`. Two calls of an applet never run at the same \
              time.",
    },
    Explanation {
        code: "subset/subroutine",
        meaning: "The code contains `jsr` or `ret`, which compilers before Java 6 generated for \
                  `finally`.",
        example: "jsr CLEANUP",
        fix: "Remove `try` and `finally`, and copy the code of `finally` to each end of the \
              method.",
    },
    Explanation {
        code: "subset/invokeinterface",
        meaning: "An instruction calls a method through an interface.",
        example: "Runnable r; r.run();",
        fix: "Call a method of the class itself, not of an interface.",
    },
    Explanation {
        code: "subset/invokedynamic",
        meaning: "An `invokedynamic` instruction links a call at run time. Java compilers generate \
                  `invokedynamic` for a lambda, a method reference, or a string concatenation with \
                  `+`.",
        example: "Runnable r = () -> count++;",
        fix: "Write a method of the class, and call the method by name.",
    },
    Explanation {
        code: "subset/interface",
        meaning: "The class file contains an interface or an annotation.",
        example: "interface Filter { }",
        fix: "Write a class in place of the interface or annotation.",
    },
    Explanation {
        code: "subset/module",
        meaning: "The class file contains a module descriptor.",
        example: "module-info.class",
        fix: "Pass the class file of the applet, not `module-info.class`.",
    },
    Explanation {
        code: "subset/superclass",
        meaning: "The superclass of the class is not `Object`.",
        example: "class Filter extends Base { }",
        fix: "Copy the needed code of the superclass into the class, and remove `extends`.",
    },
    Explanation {
        code: "subset/implements",
        meaning: "The class implements interfaces.",
        example: "class Filter implements Runnable { }",
        fix: "Remove `implements` from the declaration of the class.",
    },
    Explanation {
        code: "subset/abstract-method",
        meaning: "A method of the class is `abstract`.",
        example: "abstract int hash(int length);",
        fix: "Give the method a body, and remove `abstract`.",
    },
    Explanation {
        code: "subset/overloaded-method",
        meaning: "Two methods of the class have the same name.",
        example: "int hash(int a) { return a; }\nint hash(int a, int b) { return a + b; }",
        fix: "Give each method of the class a different name, and declare only one constructor.",
    },
    Explanation {
        code: "subset/class-initializer",
        meaning: "The class declares a method `<clinit>` with parameters, which no JVM would call.",
        example: ".method static <clinit>(I)V     // in a class file below version 51",
        fix: "Remove the parameters of `<clinit>`. No Java compiler generates a `<clinit>` with \
              parameters.",
    },
    Explanation {
        code: "subset/unknown-native",
        meaning: "The class declares a `native` method that the NIC does not have, or that has \
                  another descriptor on the NIC. The natives of a program are those of `via/Via.java`, \
                  which `jive stub --program` prints.",
        example: "native int getFreeBufer();",
        fix: "Compare the declaration of the method with `unet/Nic.java`, which `jive stub` \
              prints.",
    },
    Explanation {
        code: "subset/unresolved-native",
        meaning: "The class calls a method of `unet/Nic` that the NIC does not have, or that has \
                  another descriptor on the NIC. A program calls those of `via/Via`, whose source `jive \
                  stub --program` prints.",
        example: "unet.Nic.send(buf);",
        fix: "Compile the source against the `unet/Nic.java` that `jive stub` prints.",
    },
    Explanation {
        code: "subset/unresolved-field",
        meaning: "The code accesses a field that the class does not have, or that has another type \
                  in the class. An access to an instance field as a static field, or to a static \
                  field as an instance field, is also unresolved.",
        example: "a class file that was compiled against another version of itself",
        fix: "Compile all source files of the class again.",
    },
    Explanation {
        code: "subset/unresolved-method",
        meaning: "The code calls a method that the class does not have, or that has another \
                  descriptor in the class. Methods that the class inherits from `Object` are not \
                  available.",
        example: "int h = hashCode();",
        fix: "Compile all source files of the class again, and write the missing method.",
    },
    Explanation {
        code: "subset/foreign-field",
        meaning: "The code accesses a field of another class.",
        example: "System.out",
        fix: "Copy the field of the other class into the applet.",
    },
    Explanation {
        code: "subset/foreign-method",
        meaning: "The code calls a method of another class, and the method is not a native of the \
                  NIC. An applet may call natives of `unet/Nic` alone, and a program on the host \
                  those of `via/Via`. Java compilers also insert calls of methods of other classes. For a \
                  constant that is read through a reference, as in `other.LIMIT`, Java compilers \
                  insert a call of `Objects.requireNonNull`. For a variable of type `Integer`, \
                  Java compilers insert a call of `Integer.valueOf`.",
        example: "int m = Math.max(a, b);",
        fix: "Replace the call by the code of the method, such as `a > b ? a : b`, or copy the \
              method into the applet.",
    },
    Explanation {
        code: "subset/constructor-call",
        meaning: "A constructor calls another constructor of the class.",
        example: "Filter() { this(16); }",
        fix: "Move the code of all constructors into one constructor. An applet has only one \
              constructor.",
    },
    Explanation {
        code: "subset/final-store",
        meaning: "The code stores to a `final` field outside of the static initializer or \
                  constructor that may set the field.",
        example: "static final int LIMIT = 5;\nvoid raise() { LIMIT = 6; }     // no Java compiler generates this",
        fix: "Remove `final` from the field, or set the field in the static initializer or \
              constructor.",
    },
];
