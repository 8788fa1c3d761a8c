//! The table of all kinds of ops, with the work of each kind.
//!
//! A row has documentation, a name, a shape and the work of the kind. A letter after the work names an operand that a
//! second kind reads from the accumulator: `Add` and its operand `'b'` make `AddTaken`. The rows in `threaded` are
//! kinds that lowering makes only in the threaded variant.
//!
//! The op table is a macro, which passes its rows to another macro. `op/kind.rs` reads names and shapes from the op
//! table. The dispatch loops in `interp` read the work, which uses names of `interp/work.rs`.
//!
//! In the documentation of a row, `a`, `b` and `c` are the values of the registers that the op's operands name. The
//! word *constant* means the op's constant of 32 bits, or operand `b` in a branch that compares with a constant.

/// Passes the rows to the macro `$reader`, followed by the pairs of `op/pairs.rs`.
macro_rules! op_table {
    ($reader:ident) => { $crate::op::with_pairs! { $reader! {
    // Constants and copies: lowering emits such ops only when a value must be in a register of its own.

    /// `a` becomes the constant.
    Const value |_, operands| Ok(operands.op.imm());
    /// `a` becomes `b`.
    Move value |_, operands| Ok(operands.b());
    /// Of the `b` registers from `a` on, moves the last `c` below the others, for instructions such as `dup_x1`.
    Rotate effect |_, operands| { rotate(operands.op, operands.registers); Ok(()) };

    // Arithmetic. Each operator that programs often use with a constant has a second kind of op that contains the
    // constant.

    /// Sets register `a` to `b + c`.
    Add value binary!(i32::wrapping_add), 'b': AddTaken;
    /// Sets register `a` to `b` plus the constant.
    AddConst value constant!(i32::wrapping_add), 'b': AddConstTaken;
    /// Sets register `a` to `b - c`.
    Subtract value binary!(i32::wrapping_sub), 'b': SubtractTaken, 'c': SubtractOfTaken;
    /// Sets register `a` to `b * c`.
    Multiply value binary!(i32::wrapping_mul), 'b': MultiplyTaken;
    /// Sets register `a` to `b` times the constant.
    MultiplyConst value constant!(i32::wrapping_mul), 'b': MultiplyConstTaken;
    /// Sets register `a` to `b / c`. The quotient of `MIN_VALUE` and -1 wraps to its dividend (JVMS §6.5.idiv).
    Divide value |_, operands| {
        let (dividend, divisor) = (operands.b(), divisor(operands.c())?);
        Ok(dividend.checked_div(divisor).unwrap_or(dividend))
    }, 'b': DivideTaken;
    /// Sets register `a` to `b % c`. If the quotient of the division wraps, the remainder is 0 (JVMS §6.5.irem).
    Remainder value |_, operands| {
        let (dividend, divisor) = (operands.b(), divisor(operands.c())?);
        Ok(dividend.checked_rem(divisor).unwrap_or(0))
    }, 'b': RemainderTaken;
    /// `a` becomes `-b`.
    Negate value |_, operands| Ok(operands.b().wrapping_neg()), 'b': NegateTaken;
    /// Sets register `a` to `b << c`.
    ShiftLeft value binary!(shift_left), 'c': ShiftLeftByTaken;
    /// Sets register `a` to `b` shifted left by the constant.
    ShiftLeftConst value constant!(shift_left), 'b': ShiftLeftConstTaken;
    /// Sets register `a` to `b >> c`.
    ShiftRight value binary!(shift_right);
    /// Sets register `a` to `b` shifted right by the constant.
    ShiftRightConst value constant!(shift_right), 'b': ShiftRightConstTaken;
    /// Sets register `a` to `b >>> c`.
    ShiftRightUnsigned value binary!(shift_right_unsigned), 'c': ShiftRightUnsignedByTaken;
    /// Sets register `a` to `b` shifted right by the constant, with zeros from the left.
    ShiftRightUnsignedConst value constant!(shift_right_unsigned), 'b': ShiftRightUnsignedConstTaken;
    /// Sets register `a` to `b & c`.
    And value binary!(|a, b| a & b), 'b': AndTaken;
    /// Sets register `a` to the bitwise and of `b` and the constant.
    AndConst value constant!(|a, b| a & b), 'b': AndConstTaken;
    /// Sets register `a` to `b | c`.
    Or value binary!(|a, b| a | b), 'b': OrTaken;
    /// Sets register `a` to the bitwise or of `b` and the constant.
    OrConst value constant!(|a, b| a | b), 'b': OrConstTaken;
    /// Sets register `a` to `b ^ c`.
    Xor value binary!(|a, b| a ^ b), 'b': XorTaken;
    /// Sets register `a` to the bitwise exclusive or of `b` and the constant.
    XorConst value constant!(|a, b| a ^ b), 'b': XorConstTaken;
    /// Sets register `a` to `b` shifted left by the constant, then shifted back with the sign. The constant of a
    /// `Narrow` op is 24 for `i2b` and 16 for `i2s`.
    Narrow value constant!(|a, b| shift_right(shift_left(a, b), b)), 'b': NarrowTaken;

    // Array elements. An op adds an offset to the index of an element, because indices such as that of `a[i + 1]` are
    // frequent. Programs read headers of packets at constant indices, so accesses to bytes have kinds for constant
    // indices.

    /// Loads register `a` from the `byte[]` or `boolean[]` `b`, at index `c` plus the op's offset.
    LoadByte load |heap, array, element| {
        heap.load_byte(array, element).map(|byte| byte.cast_signed().into())
    }, 'c': LoadByteAtTaken;
    /// Does as `LoadByte`, but the loaded byte is unsigned: `a[i] & 0xff`.
    LoadByteUnsigned load |heap, array, element| heap.load_byte(array, element).map(i32::from), 'c': LoadByteUnsignedAtTaken;
    /// Loads register `a` from the `byte[]` or `boolean[]` `b`, at the constant index.
    LoadByteAt load_at |heap, array, element| {
        heap.load_byte(array, element).map(|byte| byte.cast_signed().into())
    }, 'b': LoadByteAtOfTaken;
    /// Does as `LoadByteAt`, but the loaded byte is unsigned.
    LoadByteUnsignedAt load_at |heap, array, element| {
        heap.load_byte(array, element).map(i32::from)
    }, 'b': LoadByteUnsignedAtOfTaken;
    /// Loads register `a` from the `short[]` `b`, at index `c` plus the op's offset.
    LoadShort load |heap, array, element| heap.load_short(array, element).map(i32::from), 'c': LoadShortAtTaken;
    /// Loads register `a` from the `int[]` `b`, at index `c` plus the op's offset.
    LoadInt load Heap::load_int, 'c': LoadIntAtTaken;
    /// Stores `c` in the `byte[]` or `boolean[]` `a`, at index `b` plus the op's offset.
    StoreByte store Heap::store_byte, 'c': StoreByteTaken;
    /// Stores `b` in the `byte[]` or `boolean[]` `a`, at the constant index.
    StoreByteAt store_at Heap::store_byte;
    /// Stores `c` in the `short[]` `a`, at index `b` plus the op's offset.
    StoreShort store Heap::store_short, 'c': StoreShortTaken;
    /// Stores `c` in the `int[]` `a`, at index `b` plus the op's offset.
    StoreInt store Heap::store_int, 'c': StoreIntTaken;
    /// Sets register `a` to the length of the array `b`.
    ArrayLength value |machine, operands| machine.heap.length(operands.b()), 'b': ArrayLengthTaken;
    /// Sets register `a` to a new array of length `b`. The op's constant is the new array's kind, as `newarray` codes
    /// it.
    NewArray value |machine, operands| {
        let code = u8::try_from(operands.op.imm()).unwrap_or(0);
        let kind = ArrayKind::from_newarray_code(code).ok_or(TrapKind::Unverified)?;
        machine.heap.allocate(kind, operands.b())
    };

    // Fields and receivers.

    /// Traps if `a` is null.
    RejectNull effect |_, operands| reject_null(operands.a());
    /// Sets register `a` to the value of the field.
    GetField value |machine, operands| {
        let field = machine.fields.get(usize::from(operands.op.low()));
        field.copied().ok_or(TrapKind::Unverified)
    };
    /// The field becomes `a`.
    PutField effect |machine, operands| {
        let field = machine.fields.get_mut(usize::from(operands.op.low()));
        *field.ok_or(TrapKind::Unverified)? = operands.a();
        Ok(())
    }, 'a': PutFieldTaken;
    /// Sets the field to the reference `a`. Traps if `a` names an array that is freed at the end of the call.
    PutReference effect |machine, operands| {
        let reference = operands.a();
        reject_transient(&machine.heap, reference)?;
        let field = machine.fields.get_mut(usize::from(operands.op.low()));
        *field.ok_or(TrapKind::Unverified)? = reference;
        Ok(())
    };

    // Jumps and branches. Each comparison has one kind for each direction of the branch, because a forward branch need
    // not check the budget (`interp/fuel.rs`). `Const` kinds compare with a signed byte in operand `b`.

    /// Jumps.
    Goto control |machine, operands, _| machine.go(operands.op);
    /// Jumps to any op, at any cost, if the target or the cost of the jump needs more than 16 bits.
    GotoFar control |machine, operands, _| machine.go_far(operands.op);
    /// Branches forwards if `a == b`.
    IfEqual onward pair!(|a, b| a == b), 'a': IfEqualTaken;
    /// Branches forwards if `a != b`.
    IfNotEqual onward pair!(|a, b| a != b), 'a': IfNotEqualTaken;
    /// Branches forwards if `a < b`.
    IfLess onward pair!(|a, b| a < b), 'a': IfLessTaken, 'b': IfLessThanTaken;
    /// Branches forwards if `a >= b`.
    IfNotLess onward pair!(|a, b| a >= b), 'a': IfNotLessTaken, 'b': IfNotLessThanTaken;
    /// Branches forwards if `a` is the constant.
    IfEqualConst onward single!(|a, b| a == b), 'a': IfEqualConstTaken;
    /// Branches forwards if `a` is not the constant.
    IfNotEqualConst onward single!(|a, b| a != b), 'a': IfNotEqualConstTaken;
    /// Branches forwards if `a` is less than the constant.
    IfLessConst onward single!(|a, b| a < b), 'a': IfLessConstTaken;
    /// Branches forwards if `a` is not less than the constant.
    IfNotLessConst onward single!(|a, b| a >= b), 'a': IfNotLessConstTaken;
    // Skips: a far branch is a skip of the opposite comparison, followed by a `GotoFar`.

    /// Skips the next op if `a == b`.
    SkipEqual skip pair!(|a, b| a == b);
    /// Skips the next op if `a != b`.
    SkipNotEqual skip pair!(|a, b| a != b);
    /// Skips the next op if `a < b`.
    SkipLess skip pair!(|a, b| a < b);
    /// Skips the next op if `a >= b`.
    SkipNotLess skip pair!(|a, b| a >= b);
    // Branches backwards, from the end of a loop to its beginning.

    /// Branches backwards if `a == b`.
    BackEqual back pair!(|a, b| a == b);
    /// Branches backwards if `a != b`.
    BackNotEqual back pair!(|a, b| a != b);
    /// Branches backwards if `a < b`.
    BackLess back pair!(|a, b| a < b);
    /// Branches backwards if `a >= b`.
    BackNotLess back pair!(|a, b| a >= b);
    /// Branches backwards if `a` is the constant.
    BackEqualConst back single!(|a, b| a == b);
    /// Branches backwards if `a` is not the constant.
    BackNotEqualConst back single!(|a, b| a != b);
    /// Branches backwards if `a` is less than the constant.
    BackLessConst back single!(|a, b| a < b);
    /// Branches backwards if `a` is not less than the constant.
    BackNotLessConst back single!(|a, b| a >= b);
    // Loops: a jump back to a forward branch that leaves a loop, with the comparison of that branch. If the run stays
    // in the loop, it continues at the op after the forward branch, and otherwise at the forward branch. A loop op
    // saves one op per iteration.

    /// Jumps back, and stays in the loop if `a == b`.
    LoopEqual again pair!(|a, b| a == b);
    /// Jumps back, and stays in the loop if `a != b`.
    LoopNotEqual again pair!(|a, b| a != b);
    /// Jumps back, and stays in the loop if `a < b`.
    LoopLess again pair!(|a, b| a < b);
    /// Jumps back, and stays in the loop if `a >= b`.
    LoopNotLess again pair!(|a, b| a >= b);
    /// Jumps back, and stays in the loop if `a` is the constant.
    LoopEqualConst again single!(|a, b| a == b);
    /// Jumps back, and stays in the loop if `a` is not the constant.
    LoopNotEqualConst again single!(|a, b| a != b);
    /// Jumps back, and stays in the loop if `a` is less than the constant.
    LoopLessConst again single!(|a, b| a < b);
    /// Jumps back, and stays in the loop if `a` is not less than the constant.
    LoopNotLessConst again single!(|a, b| a >= b);
    // Counted loops: an increment and the jump after it, as at the end of `for (int i = 0; i < n; i++)`.

    /// Adds `c` to `a`, then does as `LoopLess`.
    CountLess again_count |operands| count(operands, operands.op.c()) < operands.b();
    /// Adds `c` to `a`, then does as `LoopLessConst`.
    CountLessConst again_count |operands| {
        count(operands, operands.op.c()) < operands.op.short_constant()
    };
    /// Adds `c` to `a`, then does as `LoopNotLessConst`.
    CountNotLessConst again_count |operands| {
        count(operands, operands.op.c()) >= operands.op.short_constant()
    };
    /// Adds `b` to `a`, then jumps, usually backwards.
    CountGoto back |operands| { count(operands, operands.op.b); true };
    // Switches. The rows for the cases of a switch are in the program's switch table.

    /// Jumps to the case whose row is at the distance of `a` from the lowest key.
    TableSwitch control |machine, operands, pc| machine.table_switch(operands.op, operands.a(), pc), 'a': TableSwitchTaken;
    /// Jumps to the case whose key is `a`.
    LookupSwitch control |machine, operands, pc| machine.lookup_switch(operands.op, operands.a(), pc);

    // Calls and returns.

    /// Calls a method of the class. The method's arguments are in the registers from `a` on.
    Call control |machine, operands, pc| machine.call(operands.op, operands.code, pc);
    /// Stops the run for a native. The native's arguments are in the registers from `b` on. The op's constant contains
    /// the native's number, the count of arguments, and whether the native has a result.
    Native control |_, _, pc| Flow::Stop(pc, Stop::Native);
    /// Returns from a void method.
    Return control |machine, operands, pc| machine.leave(operands.op.high(), pc);
    /// Returns `a`.
    ReturnValue control |machine, operands, pc| {
        machine.leave_with(operands.op.high(), operands.registers, operands.a(), pc)
    }, 'a': ReturnValueTaken;
    /// Returns the constant.
    ReturnConst control |machine, operands, pc| {
        machine.leave_with(operands.op.number(), operands.registers, operands.op.imm(), pc)
    };

    threaded {
        // Near branches: the constant has 16 bits, for comparisons with numbers such as protocol numbers. A constant of
        // 16 bits leaves eight bits for the cost, so a near branch must be short.

        /// Branches forwards if `a` is the constant.
        IfEqualNear onward_near near!(|a, b| a == b), 'a': IfEqualNearTaken;
        /// Branches forwards if `a` is not the constant.
        IfNotEqualNear onward_near near!(|a, b| a != b), 'a': IfNotEqualNearTaken;
        /// Branches forwards if `a` is less than the constant.
        IfLessNear onward_near near!(|a, b| a < b), 'a': IfLessNearTaken;
        /// Branches forwards if `a` is not less than the constant.
        IfNotLessNear onward_near near!(|a, b| a >= b), 'a': IfNotLessNearTaken;
        /// Branches backwards if `a` is the constant.
        BackEqualNear back_near near!(|a, b| a == b);
        /// Branches backwards if `a` is not the constant.
        BackNotEqualNear back_near near!(|a, b| a != b);
        /// Branches backwards if `a` is less than the constant.
        BackLessNear back_near near!(|a, b| a < b);
        /// Branches backwards if `a` is not less than the constant.
        BackNotLessNear back_near near!(|a, b| a >= b);
        /// Does as `LoopEqualConst`.
        LoopEqualNear again_near near!(|a, b| a == b);
        /// Does as `LoopNotEqualConst`.
        LoopNotEqualNear again_near near!(|a, b| a != b);
        /// Does as `LoopLessConst`.
        LoopLessNear again_near near!(|a, b| a < b);
        /// Does as `LoopNotLessConst`.
        LoopNotLessNear again_near near!(|a, b| a >= b);
        // Elements of arrays whose references are in fields, such as the buffers of most applets. They save a
        // `GetField`.

        /// Loads register `a` from the `byte[]` or `boolean[]` in field `b`, at index `c` plus the op's offset.
        LoadFieldByte load_field |heap, array, element| {
            heap.load_byte(array, element).map(|byte| byte.cast_signed().into())
        }, 'c': LoadFieldByteAtTaken;
        /// Does as `LoadFieldByte`, but the loaded byte is unsigned.
        LoadFieldByteUnsigned load_field |heap, array, element| {
            heap.load_byte(array, element).map(i32::from)
        }, 'c': LoadFieldByteUnsignedAtTaken;
        /// Loads register `a` from the `short[]` in field `b`, at index `c` plus the op's offset.
        LoadFieldShort load_field |heap, array, element| {
            heap.load_short(array, element).map(i32::from)
        }, 'c': LoadFieldShortAtTaken;
        /// Loads register `a` from the `int[]` in field `b`, at index `c` plus the op's offset.
        LoadFieldInt load_field Heap::load_int, 'c': LoadFieldIntAtTaken;
        /// Stores `c` in the `byte[]` or `boolean[]` in field `a`, at index `b` plus the op's offset.
        StoreFieldByte store_field Heap::store_byte, 'c': StoreFieldByteTaken;
        /// Stores `c` in the `short[]` in field `a`, at index `b` plus the op's offset.
        StoreFieldShort store_field Heap::store_short, 'c': StoreFieldShortTaken;
        /// Stores `c` in the `int[]` in field `a`, at index `b` plus the op's offset.
        StoreFieldInt store_field Heap::store_int, 'c': StoreFieldIntTaken;
        /// Sets register `a` to the length of the array in the field.
        FieldLength value |machine, operands| {
            let array = machine.fields.get(usize::from(operands.op.low()));
            machine.heap.length(*array.ok_or(TrapKind::Unverified)?)
        };
        // Other sequences of work on fields and counters that are frequent in programs.

        /// Adds the constant to field `b`, and sets register `a` to the sum.
        AddToField value |machine, operands| {
            let field = machine.fields.get_mut(usize::from(operands.op.b));
            let field = field.ok_or(TrapKind::Unverified)?;
            *field = field.wrapping_add(operands.op.imm());
            Ok(*field)
        };
        /// Sets the field whose number is in the operands `a` and `b` to the constant.
        PutConst effect |machine, operands| {
            let field = machine.fields.get_mut(usize::from(operands.op.number()));
            *field.ok_or(TrapKind::Unverified)? = operands.op.imm();
            Ok(())
        };
        /// Sets register `a` to `b`, then adds the constant to register `b`: `i++` as a value.
        PostIncrement value |_, operands| {
            let counter = cell(operands.registers, operands.op.b);
            Ok(counter.replace(counter.get().wrapping_add(operands.op.imm())))
        };
    }
    }}};
}

pub(crate) use op_table;
