//! The opcode table: one row for every opcode of the JVM (JVMS §6.5), with its number, mnemonic, operand layout and
//! action.

/// Passes the rows of the opcode table to a macro.
macro_rules! opcode_table {
    ($reader:ident) => {
        $reader! {
            /// Does nothing.
            0x00 Nop = "nop", None, (Nothing);
            /// Pushes `null`.
            0x01 AconstNull = "aconst_null", None, (constant Null);
            /// Pushes the `int` -1.
            0x02 IconstM1 = "iconst_m1", ImplicitInt(-1), (constant Immediate);
            /// Pushes the `int` 0.
            0x03 Iconst0 = "iconst_0", ImplicitInt(0), (constant Immediate);
            /// Pushes the `int` 1.
            0x04 Iconst1 = "iconst_1", ImplicitInt(1), (constant Immediate);
            /// Pushes the `int` 2.
            0x05 Iconst2 = "iconst_2", ImplicitInt(2), (constant Immediate);
            /// Pushes the `int` 3.
            0x06 Iconst3 = "iconst_3", ImplicitInt(3), (constant Immediate);
            /// Pushes the `int` 4.
            0x07 Iconst4 = "iconst_4", ImplicitInt(4), (constant Immediate);
            /// Pushes the `int` 5.
            0x08 Iconst5 = "iconst_5", ImplicitInt(5), (constant Immediate);
            /// Pushes the `long` 0.
            0x09 Lconst0 = "lconst_0", None, (unsupported Long);
            /// Pushes the `long` 1.
            0x0a Lconst1 = "lconst_1", None, (unsupported Long);
            /// Pushes the `float` 0.
            0x0b Fconst0 = "fconst_0", None, (unsupported Float);
            /// Pushes the `float` 1.
            0x0c Fconst1 = "fconst_1", None, (unsupported Float);
            /// Pushes the `float` 2.
            0x0d Fconst2 = "fconst_2", None, (unsupported Float);
            /// Pushes the `double` 0.
            0x0e Dconst0 = "dconst_0", None, (unsupported Double);
            /// Pushes the `double` 1.
            0x0f Dconst1 = "dconst_1", None, (unsupported Double);
            /// Pushes a sign-extended byte.
            0x10 Bipush = "bipush", Byte, (constant Immediate);
            /// Pushes a sign-extended short.
            0x11 Sipush = "sipush", Short, (constant Immediate);
            /// Pushes a constant of the constant pool. Only `int` constants are in the subset.
            0x12 Ldc = "ldc", ConstantByte, (constant Pool);
            /// Pushes a constant of the constant pool, with an index of two bytes.
            0x13 LdcW = "ldc_w", Constant, (constant Pool);
            /// Pushes a `long` or `double` constant of the constant pool.
            0x14 Ldc2W = "ldc2_w", Constant, (unsupported Wide);
            /// Loads an `int` from a local variable.
            0x15 Iload = "iload", Local, (load Int);
            /// Loads a `long` from a local variable.
            0x16 Lload = "lload", Local, (unsupported Long);
            /// Loads a `float` from a local variable.
            0x17 Fload = "fload", Local, (unsupported Float);
            /// Loads a `double` from a local variable.
            0x18 Dload = "dload", Local, (unsupported Double);
            /// Loads a reference from a local variable.
            0x19 Aload = "aload", Local, (load Reference);
            /// Loads an `int` from local variable 0.
            0x1a Iload0 = "iload_0", ImplicitLocal(0), (load Int);
            /// Loads an `int` from local variable 1.
            0x1b Iload1 = "iload_1", ImplicitLocal(1), (load Int);
            /// Loads an `int` from local variable 2.
            0x1c Iload2 = "iload_2", ImplicitLocal(2), (load Int);
            /// Loads an `int` from local variable 3.
            0x1d Iload3 = "iload_3", ImplicitLocal(3), (load Int);
            /// Loads a `long` from local variable 0.
            0x1e Lload0 = "lload_0", ImplicitLocal(0), (unsupported Long);
            /// Loads a `long` from local variable 1.
            0x1f Lload1 = "lload_1", ImplicitLocal(1), (unsupported Long);
            /// Loads a `long` from local variable 2.
            0x20 Lload2 = "lload_2", ImplicitLocal(2), (unsupported Long);
            /// Loads a `long` from local variable 3.
            0x21 Lload3 = "lload_3", ImplicitLocal(3), (unsupported Long);
            /// Loads a `float` from local variable 0.
            0x22 Fload0 = "fload_0", ImplicitLocal(0), (unsupported Float);
            /// Loads a `float` from local variable 1.
            0x23 Fload1 = "fload_1", ImplicitLocal(1), (unsupported Float);
            /// Loads a `float` from local variable 2.
            0x24 Fload2 = "fload_2", ImplicitLocal(2), (unsupported Float);
            /// Loads a `float` from local variable 3.
            0x25 Fload3 = "fload_3", ImplicitLocal(3), (unsupported Float);
            /// Loads a `double` from local variable 0.
            0x26 Dload0 = "dload_0", ImplicitLocal(0), (unsupported Double);
            /// Loads a `double` from local variable 1.
            0x27 Dload1 = "dload_1", ImplicitLocal(1), (unsupported Double);
            /// Loads a `double` from local variable 2.
            0x28 Dload2 = "dload_2", ImplicitLocal(2), (unsupported Double);
            /// Loads a `double` from local variable 3.
            0x29 Dload3 = "dload_3", ImplicitLocal(3), (unsupported Double);
            /// Loads a reference from local variable 0.
            0x2a Aload0 = "aload_0", ImplicitLocal(0), (load Reference);
            /// Loads a reference from local variable 1.
            0x2b Aload1 = "aload_1", ImplicitLocal(1), (load Reference);
            /// Loads a reference from local variable 2.
            0x2c Aload2 = "aload_2", ImplicitLocal(2), (load Reference);
            /// Loads a reference from local variable 3.
            0x2d Aload3 = "aload_3", ImplicitLocal(3), (load Reference);
            /// Loads an `int` from an array; traps if the array is null or the index is out of bounds.
            0x2e Iaload = "iaload", None, (load element Int);
            /// Loads a `long` from an array.
            0x2f Laload = "laload", None, (unsupported Long);
            /// Loads a `float` from an array.
            0x30 Faload = "faload", None, (unsupported Float);
            /// Loads a `double` from an array.
            0x31 Daload = "daload", None, (unsupported Double);
            /// Loads a reference from an array.
            0x32 Aaload = "aaload", None, (unsupported ReferenceArray);
            /// Loads a `byte` or `boolean` from an array; traps if the array is null or the index is out of bounds.
            0x33 Baload = "baload", None, (load element ByteOrBoolean);
            /// Loads a `char` from an array.
            0x34 Caload = "caload", None, (unsupported Char);
            /// Loads a `short` from an array; traps if the array is null or the index is out of bounds.
            0x35 Saload = "saload", None, (load element Short);
            /// Stores an `int` into a local variable.
            0x36 Istore = "istore", Local, (store Int);
            /// Stores a `long` into a local variable.
            0x37 Lstore = "lstore", Local, (unsupported Long);
            /// Stores a `float` into a local variable.
            0x38 Fstore = "fstore", Local, (unsupported Float);
            /// Stores a `double` into a local variable.
            0x39 Dstore = "dstore", Local, (unsupported Double);
            /// Stores a reference into a local variable.
            0x3a Astore = "astore", Local, (store Reference);
            /// Stores an `int` into local variable 0.
            0x3b Istore0 = "istore_0", ImplicitLocal(0), (store Int);
            /// Stores an `int` into local variable 1.
            0x3c Istore1 = "istore_1", ImplicitLocal(1), (store Int);
            /// Stores an `int` into local variable 2.
            0x3d Istore2 = "istore_2", ImplicitLocal(2), (store Int);
            /// Stores an `int` into local variable 3.
            0x3e Istore3 = "istore_3", ImplicitLocal(3), (store Int);
            /// Stores a `long` into local variable 0.
            0x3f Lstore0 = "lstore_0", ImplicitLocal(0), (unsupported Long);
            /// Stores a `long` into local variable 1.
            0x40 Lstore1 = "lstore_1", ImplicitLocal(1), (unsupported Long);
            /// Stores a `long` into local variable 2.
            0x41 Lstore2 = "lstore_2", ImplicitLocal(2), (unsupported Long);
            /// Stores a `long` into local variable 3.
            0x42 Lstore3 = "lstore_3", ImplicitLocal(3), (unsupported Long);
            /// Stores a `float` into local variable 0.
            0x43 Fstore0 = "fstore_0", ImplicitLocal(0), (unsupported Float);
            /// Stores a `float` into local variable 1.
            0x44 Fstore1 = "fstore_1", ImplicitLocal(1), (unsupported Float);
            /// Stores a `float` into local variable 2.
            0x45 Fstore2 = "fstore_2", ImplicitLocal(2), (unsupported Float);
            /// Stores a `float` into local variable 3.
            0x46 Fstore3 = "fstore_3", ImplicitLocal(3), (unsupported Float);
            /// Stores a `double` into local variable 0.
            0x47 Dstore0 = "dstore_0", ImplicitLocal(0), (unsupported Double);
            /// Stores a `double` into local variable 1.
            0x48 Dstore1 = "dstore_1", ImplicitLocal(1), (unsupported Double);
            /// Stores a `double` into local variable 2.
            0x49 Dstore2 = "dstore_2", ImplicitLocal(2), (unsupported Double);
            /// Stores a `double` into local variable 3.
            0x4a Dstore3 = "dstore_3", ImplicitLocal(3), (unsupported Double);
            /// Stores a reference into local variable 0.
            0x4b Astore0 = "astore_0", ImplicitLocal(0), (store Reference);
            /// Stores a reference into local variable 1.
            0x4c Astore1 = "astore_1", ImplicitLocal(1), (store Reference);
            /// Stores a reference into local variable 2.
            0x4d Astore2 = "astore_2", ImplicitLocal(2), (store Reference);
            /// Stores a reference into local variable 3.
            0x4e Astore3 = "astore_3", ImplicitLocal(3), (store Reference);
            /// Stores an `int` into an array; traps if the array is null or the index is out of bounds.
            0x4f Iastore = "iastore", None, (store element Int);
            /// Stores a `long` into an array.
            0x50 Lastore = "lastore", None, (unsupported Long);
            /// Stores a `float` into an array.
            0x51 Fastore = "fastore", None, (unsupported Float);
            /// Stores a `double` into an array.
            0x52 Dastore = "dastore", None, (unsupported Double);
            /// Stores a reference into an array.
            0x53 Aastore = "aastore", None, (unsupported ReferenceArray);
            /// Stores a `byte` or `boolean` into an array; traps if the array is null or the index is out of bounds.
            0x54 Bastore = "bastore", None, (store element ByteOrBoolean);
            /// Stores a `char` into an array.
            0x55 Castore = "castore", None, (unsupported Char);
            /// Stores a `short` into an array; traps if the array is null or the index is out of bounds.
            0x56 Sastore = "sastore", None, (store element Short);
            /// Drops the top value of the operand stack.
            0x57 Pop = "pop", None, (shuffle 1 ->);
            /// Drops the two top values of the operand stack.
            0x58 Pop2 = "pop2", None, (shuffle 2 ->);
            /// Duplicates the top value of the operand stack.
            0x59 Dup = "dup", None, (shuffle 1 -> 0 0);
            /// Inserts a copy of the top value below the second value of the operand stack.
            0x5a DupX1 = "dup_x1", None, (shuffle 2 -> 0 1 0);
            /// Inserts a copy of the top value below the third value of the operand stack.
            0x5b DupX2 = "dup_x2", None, (shuffle 3 -> 0 2 1 0);
            /// Duplicates the two top values of the operand stack.
            0x5c Dup2 = "dup2", None, (shuffle 2 -> 1 0 1 0);
            /// Inserts copies of the two top values below the third value of the operand stack.
            0x5d Dup2X1 = "dup2_x1", None, (shuffle 3 -> 1 0 2 1 0);
            /// Inserts copies of the two top values below the fourth value of the operand stack.
            0x5e Dup2X2 = "dup2_x2", None, (shuffle 4 -> 1 0 3 2 1 0);
            /// Swaps the two top values of the operand stack.
            0x5f Swap = "swap", None, (shuffle 2 -> 0 1);
            /// Adds two `int` values, wrapping on overflow.
            0x60 Iadd = "iadd", None, (binary Add);
            /// Adds two `long` values.
            0x61 Ladd = "ladd", None, (unsupported Long);
            /// Adds two `float` values.
            0x62 Fadd = "fadd", None, (unsupported Float);
            /// Adds two `double` values.
            0x63 Dadd = "dadd", None, (unsupported Double);
            /// Subtracts two `int` values, wrapping on overflow.
            0x64 Isub = "isub", None, (binary Subtract);
            /// Subtracts two `long` values.
            0x65 Lsub = "lsub", None, (unsupported Long);
            /// Subtracts two `float` values.
            0x66 Fsub = "fsub", None, (unsupported Float);
            /// Subtracts two `double` values.
            0x67 Dsub = "dsub", None, (unsupported Double);
            /// Multiplies two `int` values, wrapping on overflow.
            0x68 Imul = "imul", None, (binary Multiply);
            /// Multiplies two `long` values.
            0x69 Lmul = "lmul", None, (unsupported Long);
            /// Multiplies two `float` values.
            0x6a Fmul = "fmul", None, (unsupported Float);
            /// Multiplies two `double` values.
            0x6b Dmul = "dmul", None, (unsupported Double);
            /// Divides two `int` values, rounding towards zero. A division by zero traps. `MIN_VALUE / -1` is `MIN_VALUE`.
            0x6c Idiv = "idiv", None, (binary Divide);
            /// Divides two `long` values.
            0x6d Ldiv = "ldiv", None, (unsupported Long);
            /// Divides two `float` values.
            0x6e Fdiv = "fdiv", None, (unsupported Float);
            /// Divides two `double` values.
            0x6f Ddiv = "ddiv", None, (unsupported Double);
            /// Computes the remainder of an `int` division; traps if the divisor is zero.
            0x70 Irem = "irem", None, (binary Remainder);
            /// Computes the remainder of a `long` division.
            0x71 Lrem = "lrem", None, (unsupported Long);
            /// Computes the remainder of a `float` division.
            0x72 Frem = "frem", None, (unsupported Float);
            /// Computes the remainder of a `double` division.
            0x73 Drem = "drem", None, (unsupported Double);
            /// Negates an `int`, wrapping on overflow.
            0x74 Ineg = "ineg", None, (unary Negate);
            /// Negates a `long`.
            0x75 Lneg = "lneg", None, (unsupported Long);
            /// Negates a `float`.
            0x76 Fneg = "fneg", None, (unsupported Float);
            /// Negates a `double`.
            0x77 Dneg = "dneg", None, (unsupported Double);
            /// Shifts an `int` left by the low five bits of the shift count.
            0x78 Ishl = "ishl", None, (binary ShiftLeft);
            /// Shifts a `long` left.
            0x79 Lshl = "lshl", None, (unsupported Long);
            /// Shifts an `int` right with sign extension, by the low five bits of the shift count.
            0x7a Ishr = "ishr", None, (binary ShiftRight);
            /// Shifts a `long` right with sign extension.
            0x7b Lshr = "lshr", None, (unsupported Long);
            /// Shifts an `int` right with zero extension, by the low five bits of the shift count.
            0x7c Iushr = "iushr", None, (binary ShiftRightUnsigned);
            /// Shifts a `long` right with zero extension.
            0x7d Lushr = "lushr", None, (unsupported Long);
            /// Computes the bitwise and of two `int` values.
            0x7e Iand = "iand", None, (binary And);
            /// Computes the bitwise and of two `long` values.
            0x7f Land = "land", None, (unsupported Long);
            /// Computes the bitwise or of two `int` values.
            0x80 Ior = "ior", None, (binary Or);
            /// Computes the bitwise or of two `long` values.
            0x81 Lor = "lor", None, (unsupported Long);
            /// Computes the bitwise exclusive or of two `int` values.
            0x82 Ixor = "ixor", None, (binary Xor);
            /// Computes the bitwise exclusive or of two `long` values.
            0x83 Lxor = "lxor", None, (unsupported Long);
            /// Adds a signed constant to an `int` local variable, wrapping on overflow.
            0x84 Iinc = "iinc", LocalIncrement, (Increment);
            /// Converts `int` to `long`.
            0x85 I2l = "i2l", None, (unsupported Long);
            /// Converts `int` to `float`.
            0x86 I2f = "i2f", None, (unsupported Float);
            /// Converts `int` to `double`.
            0x87 I2d = "i2d", None, (unsupported Double);
            /// Converts `long` to `int`.
            0x88 L2i = "l2i", None, (unsupported Long);
            /// Converts `long` to `float`.
            0x89 L2f = "l2f", None, (unsupported Long);
            /// Converts `long` to `double`.
            0x8a L2d = "l2d", None, (unsupported Long);
            /// Converts `float` to `int`.
            0x8b F2i = "f2i", None, (unsupported Float);
            /// Converts `float` to `long`.
            0x8c F2l = "f2l", None, (unsupported Float);
            /// Converts `float` to `double`.
            0x8d F2d = "f2d", None, (unsupported Float);
            /// Converts `double` to `int`.
            0x8e D2i = "d2i", None, (unsupported Double);
            /// Converts `double` to `long`.
            0x8f D2l = "d2l", None, (unsupported Double);
            /// Converts `double` to `float`.
            0x90 D2f = "d2f", None, (unsupported Double);
            /// Narrows an `int` to eight bits, signed.
            0x91 I2b = "i2b", None, (unary ToByte);
            /// Narrows an `int` to sixteen bits, unsigned.
            0x92 I2c = "i2c", None, (unsupported Char);
            /// Narrows an `int` to sixteen bits, signed.
            0x93 I2s = "i2s", None, (unary ToShort);
            /// Compares two `long` values.
            0x94 Lcmp = "lcmp", None, (unsupported Long);
            /// Compares two `float` values; the result is -1 if either value is NaN.
            0x95 Fcmpl = "fcmpl", None, (unsupported Float);
            /// Compares two `float` values; the result is 1 if either value is NaN.
            0x96 Fcmpg = "fcmpg", None, (unsupported Float);
            /// Compares two `double` values; the result is -1 if either value is NaN.
            0x97 Dcmpl = "dcmpl", None, (unsupported Double);
            /// Compares two `double` values; the result is 1 if either value is NaN.
            0x98 Dcmpg = "dcmpg", None, (unsupported Double);
            /// Branches if an `int` is equal to zero.
            0x99 Ifeq = "ifeq", Branch, (BranchZero Equal);
            /// Branches if an `int` is not equal to zero.
            0x9a Ifne = "ifne", Branch, (BranchZero NotEqual);
            /// Branches if an `int` is less than zero.
            0x9b Iflt = "iflt", Branch, (BranchZero Less);
            /// Branches if an `int` is at least zero.
            0x9c Ifge = "ifge", Branch, (BranchZero AtLeast);
            /// Branches if an `int` is greater than zero.
            0x9d Ifgt = "ifgt", Branch, (BranchZero Greater);
            /// Branches if an `int` is at most zero.
            0x9e Ifle = "ifle", Branch, (BranchZero AtMost);
            /// Branches if one `int` is equal to another.
            0x9f IfIcmpeq = "if_icmpeq", Branch, (BranchInt Equal);
            /// Branches if one `int` is not equal to another.
            0xa0 IfIcmpne = "if_icmpne", Branch, (BranchInt NotEqual);
            /// Branches if one `int` is less than another.
            0xa1 IfIcmplt = "if_icmplt", Branch, (BranchInt Less);
            /// Branches if one `int` is at least another.
            0xa2 IfIcmpge = "if_icmpge", Branch, (BranchInt AtLeast);
            /// Branches if one `int` is greater than another.
            0xa3 IfIcmpgt = "if_icmpgt", Branch, (BranchInt Greater);
            /// Branches if one `int` is at most another.
            0xa4 IfIcmple = "if_icmple", Branch, (BranchInt AtMost);
            /// Branches if two references are the same.
            0xa5 IfAcmpeq = "if_acmpeq", Branch, (BranchReference Equal);
            /// Branches if two references differ.
            0xa6 IfAcmpne = "if_acmpne", Branch, (BranchReference NotEqual);
            /// Branches always.
            0xa7 Goto = "goto", Branch, (Jump);
            /// Calls a subroutine inside the method.
            0xa8 Jsr = "jsr", Branch, (unsupported Subroutine), ends;
            /// Returns from a subroutine inside the method.
            0xa9 Ret = "ret", Local, (unsupported Subroutine), ends;
            /// Branches through a table of consecutive keys.
            0xaa Tableswitch = "tableswitch", TableSwitch, (Switch);
            /// Branches through a sorted table of keys.
            0xab Lookupswitch = "lookupswitch", LookupSwitch, (Switch);
            /// Returns an `int` from the method.
            0xac Ireturn = "ireturn", None, (return Int);
            /// Returns a `long` from the method.
            0xad Lreturn = "lreturn", None, (unsupported Long), ends;
            /// Returns a `float` from the method.
            0xae Freturn = "freturn", None, (unsupported Float), ends;
            /// Returns a `double` from the method.
            0xaf Dreturn = "dreturn", None, (unsupported Double), ends;
            /// Returns a reference from the method.
            0xb0 Areturn = "areturn", None, (return Reference);
            /// Returns from a method without a value.
            0xb1 Return = "return", None, (return);
            /// Loads a static field.
            0xb2 Getstatic = "getstatic", Constant, (member LoadStatic);
            /// Stores a static field.
            0xb3 Putstatic = "putstatic", Constant, (member StoreStatic);
            /// Loads an instance field; traps if the object reference is null.
            0xb4 Getfield = "getfield", Constant, (member Load);
            /// Stores an instance field; traps if the object reference is null.
            0xb5 Putfield = "putfield", Constant, (member Store);
            /// Calls an instance method; traps if the object reference is null.
            0xb6 Invokevirtual = "invokevirtual", Constant, (member Call);
            /// Calls a constructor or a private method; traps if the object reference is null.
            0xb7 Invokespecial = "invokespecial", Constant, (member Call);
            /// Calls a static method.
            0xb8 Invokestatic = "invokestatic", Constant, (member CallStatic);
            /// Calls an interface method.
            0xb9 Invokeinterface = "invokeinterface", InvokeInterface, (unsupported InterfaceCall);
            /// Calls a method that is linked at run time.
            0xba Invokedynamic = "invokedynamic", InvokeDynamic, (unsupported DynamicCall);
            /// Creates an object.
            0xbb New = "new", Constant, (unsupported Object);
            /// Creates an array of primitives; traps if the length is negative or the heap is full.
            0xbc Newarray = "newarray", ArrayType, (NewArray);
            /// Creates an array of references.
            0xbd Anewarray = "anewarray", Constant, (unsupported ReferenceArray);
            /// Pushes the length of an array; traps if the array is null.
            0xbe Arraylength = "arraylength", None, (ArrayLength);
            /// Throws an exception.
            0xbf Athrow = "athrow", None, (unsupported Exception), ends;
            /// Checks the type of a reference.
            0xc0 Checkcast = "checkcast", Constant, (unsupported TypeTest);
            /// Tests the type of a reference.
            0xc1 Instanceof = "instanceof", Constant, (unsupported TypeTest);
            /// Enters a monitor.
            0xc2 Monitorenter = "monitorenter", None, (unsupported Thread);
            /// Leaves a monitor.
            0xc3 Monitorexit = "monitorexit", None, (unsupported Thread);
            /// Widens the local variable index of the instruction that follows.
            0xc4 Wide = "wide", Wide, (Wide);
            /// Creates an array of arrays.
            0xc5 Multianewarray = "multianewarray", MultiArray, (unsupported ReferenceArray);
            /// Branches if a reference is null.
            0xc6 Ifnull = "ifnull", Branch, (BranchNull Equal);
            /// Branches if a reference is not null.
            0xc7 Ifnonnull = "ifnonnull", Branch, (BranchNull NotEqual);
            /// Branches always, with a four-byte offset.
            0xc8 GotoW = "goto_w", BranchWide, (Jump);
            /// Calls a subroutine inside the method, with a four-byte offset.
            0xc9 JsrW = "jsr_w", BranchWide, (unsupported Subroutine), ends;
            /// Is reserved for debuggers (JVMS §6.2).
            0xca Breakpoint = "breakpoint", None, (unsupported Reserved);
            /// Is reserved for implementations of the JVM (JVMS §6.2).
            0xfe Impdep1 = "impdep1", None, (unsupported Reserved);
            /// Is reserved for implementations of the JVM (JVMS §6.2).
            0xff Impdep2 = "impdep2", None, (unsupported Reserved);
        }
    };
}

pub(super) use opcode_table;
