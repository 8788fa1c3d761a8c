//! The one table of ops: what each does.
//!
//! A row is documentation, name, shape, what the op does, and the operands that the op before it may have computed. The
//! table is a macro that hands its rows to another macro. `op/kind.rs` reads names and shapes. `interp/dispatch.rs` reads
//! what ops do; the names in there are the interpreter's.

/// Hands the rows to a macro, with the pairs of `op/pairs_generated.rs` behind them.
macro_rules! op_table {
    ($reader:ident) => { $crate::op::with_pairs! { $reader! {
    /// `a` is the constant.
    Const value |_, operands| Ok(operands.op.imm());
    /// `a` is `b`.
    Move value |_, operands| Ok(operands.b());
    /// The `c` last of `b` registers from `a` on move below the others.
    Rotate effect |_, operands| { rotate(operands.op, operands.registers); Ok(()) };

    /// `a` is `b + c`.
    Add value binary!(i32::wrapping_add), 'b': AddTaken;
    /// `a` is `b` plus the constant.
    AddConst value constant!(i32::wrapping_add), 'b': AddConstTaken;
    /// `a` is `b - c`.
    Subtract value binary!(i32::wrapping_sub), 'b': SubtractTaken, 'c': SubtractOfTaken;
    /// `a` is `b * c`.
    Multiply value binary!(i32::wrapping_mul), 'b': MultiplyTaken;
    /// `a` is `b` times the constant.
    MultiplyConst value constant!(i32::wrapping_mul), 'b': MultiplyConstTaken;
    /// `a` is `b / c`; one quotient is no `int`, that of MIN_VALUE and -1, which wraps to its dividend.
    Divide value |_, operands| {
        let (dividend, divisor) = (operands.b(), divisor(operands.c())?);
        Ok(dividend.checked_div(divisor).unwrap_or(dividend))
    }, 'b': DivideTaken;
    /// `a` is `b % c`; where the quotient wraps, it is 0 (JVMS §6.5.irem).
    Remainder value |_, operands| {
        let (dividend, divisor) = (operands.b(), divisor(operands.c())?);
        Ok(dividend.checked_rem(divisor).unwrap_or(0))
    }, 'b': RemainderTaken;
    /// `a` is `-b`.
    Negate value |_, operands| Ok(operands.b().wrapping_neg()), 'b': NegateTaken;
    /// `a` is `b << c`.
    ShiftLeft value binary!(shift_left), 'c': ShiftLeftByTaken;
    /// `a` is `b` shifted left by the constant.
    ShiftLeftConst value constant!(shift_left), 'b': ShiftLeftConstTaken;
    /// `a` is `b >> c`.
    ShiftRight value binary!(shift_right);
    /// `a` is `b` shifted right by the constant.
    ShiftRightConst value constant!(shift_right), 'b': ShiftRightConstTaken;
    /// `a` is `b >>> c`.
    ShiftRightUnsigned value binary!(shift_right_unsigned), 'c': ShiftRightUnsignedByTaken;
    /// `a` is `b` shifted right by the constant, zeros coming in.
    ShiftRightUnsignedConst value constant!(shift_right_unsigned), 'b': ShiftRightUnsignedConstTaken;
    /// `a` is `b & c`.
    And value binary!(|a, b| a & b), 'b': AndTaken;
    /// `a` is `b` and the constant.
    AndConst value constant!(|a, b| a & b), 'b': AndConstTaken;
    /// `a` is `b | c`.
    Or value binary!(|a, b| a | b), 'b': OrTaken;
    /// `a` is `b` or the constant.
    OrConst value constant!(|a, b| a | b), 'b': OrConstTaken;
    /// `a` is `b ^ c`.
    Xor value binary!(|a, b| a ^ b), 'b': XorTaken;
    /// `a` is `b` exclusive-or the constant.
    XorConst value constant!(|a, b| a ^ b), 'b': XorConstTaken;
    /// `a` is what `b` is without its highest bits, as many as the constant says, with the sign of
    /// what is left.
    Narrow value constant!(|a, b| shift_right(shift_left(a, b), b)), 'b': NarrowTaken;

    /// `a` is the element `c`, plus the offset, of the `byte[]` or `boolean[]` `b`.
    LoadByte load |heap, array, element| {
        heap.load_byte(array, element).map(|byte| byte.cast_signed().into())
    }, 'c': LoadByteAtTaken;
    /// Like `LoadByte`, without the sign.
    LoadByteUnsigned load |heap, array, element| heap.load_byte(array, element).map(i32::from), 'c': LoadByteUnsignedAtTaken;
    /// `a` is the element of the `byte[]` or `boolean[]` `b` that the constant names.
    LoadByteAt load_at |heap, array, element| {
        heap.load_byte(array, element).map(|byte| byte.cast_signed().into())
    }, 'b': LoadByteAtOfTaken;
    /// Like `LoadByteAt`, without the sign.
    LoadByteUnsignedAt load_at |heap, array, element| {
        heap.load_byte(array, element).map(i32::from)
    }, 'b': LoadByteUnsignedAtOfTaken;
    /// `a` is the element `c`, plus the offset, of the `short[]` `b`.
    LoadShort load |heap, array, element| heap.load_short(array, element).map(i32::from), 'c': LoadShortAtTaken;
    /// `a` is the element `c`, plus the offset, of the `int[]` `b`.
    LoadInt load Heap::load_int, 'c': LoadIntAtTaken;
    /// The element `b`, plus the offset, of the `byte[]` or `boolean[]` `a` becomes `c`.
    StoreByte store Heap::store_byte, 'c': StoreByteTaken;
    /// The element of the `byte[]` or `boolean[]` `a` that the constant names becomes `b`.
    StoreByteAt store_at Heap::store_byte;
    /// The element `b`, plus the offset, of the `short[]` `a` becomes `c`.
    StoreShort store Heap::store_short, 'c': StoreShortTaken;
    /// The element `b`, plus the offset, of the `int[]` `a` becomes `c`.
    StoreInt store Heap::store_int, 'c': StoreIntTaken;
    /// `a` is the length of the array `b`.
    ArrayLength value |machine, operands| machine.heap.length(operands.b()), 'b': ArrayLengthTaken;
    /// `a` is a new array of length `b`, of the kind that `newarray` codes as the constant.
    NewArray value |machine, operands| {
        let code = u8::try_from(operands.op.imm()).unwrap_or(0);
        let kind = ArrayKind::from_newarray_code(code).ok_or(TrapKind::Unverified)?;
        machine.heap.allocate(kind, operands.b())
    };

    /// Traps where `a` is null.
    RejectNull effect |_, operands| reject_null(operands.a());
    /// `a` is the field.
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
    /// The field becomes the reference `a`, which must not name an array that ends with the call.
    PutReference effect |machine, operands| {
        let reference = operands.a();
        reject_transient(&machine.heap, reference)?;
        let field = machine.fields.get_mut(usize::from(operands.op.low()));
        *field.ok_or(TrapKind::Unverified)? = reference;
        Ok(())
    };

    /// Goes on elsewhere.
    Goto control |machine, operands, _| machine.go(operands.op);
    /// Does as `Goto`, however far.
    GotoFar control |machine, operands, _| machine.go_far(operands.op);
    /// Branches onwards where `a` and `b` are equal.
    IfEqual onward pair!(|a, b| a == b), 'a': IfEqualTaken;
    /// Branches onwards where `a` and `b` differ.
    IfNotEqual onward pair!(|a, b| a != b), 'a': IfNotEqualTaken;
    /// Branches onwards where `a` is less than `b`.
    IfLess onward pair!(|a, b| a < b), 'a': IfLessTaken, 'b': IfLessThanTaken;
    /// Branches onwards where `a` is not less than `b`.
    IfNotLess onward pair!(|a, b| a >= b), 'a': IfNotLessTaken, 'b': IfNotLessThanTaken;
    /// Branches onwards where `a` is the constant.
    IfEqualConst onward single!(|a, b| a == b), 'a': IfEqualConstTaken;
    /// Branches onwards where `a` is not the constant.
    IfNotEqualConst onward single!(|a, b| a != b), 'a': IfNotEqualConstTaken;
    /// Branches onwards where `a` is less than the constant.
    IfLessConst onward single!(|a, b| a < b), 'a': IfLessConstTaken;
    /// Branches onwards where `a` is not less than the constant.
    IfNotLessConst onward single!(|a, b| a >= b), 'a': IfNotLessConstTaken;
    /// Passes the next op over where `a` and `b` are equal.
    SkipEqual skip pair!(|a, b| a == b);
    /// Passes the next op over where `a` and `b` differ.
    SkipNotEqual skip pair!(|a, b| a != b);
    /// Passes the next op over where `a` is less than `b`.
    SkipLess skip pair!(|a, b| a < b);
    /// Passes the next op over where `a` is not less than `b`.
    SkipNotLess skip pair!(|a, b| a >= b);
    /// Branches back where `a` and `b` are equal.
    BackEqual back pair!(|a, b| a == b);
    /// Branches back where `a` and `b` differ.
    BackNotEqual back pair!(|a, b| a != b);
    /// Branches back where `a` is less than `b`.
    BackLess back pair!(|a, b| a < b);
    /// Branches back where `a` is not less than `b`.
    BackNotLess back pair!(|a, b| a >= b);
    /// Branches back where `a` is the constant.
    BackEqualConst back single!(|a, b| a == b);
    /// Branches back where `a` is not the constant.
    BackNotEqualConst back single!(|a, b| a != b);
    /// Branches back where `a` is less than the constant.
    BackLessConst back single!(|a, b| a < b);
    /// Branches back where `a` is not less than the constant.
    BackNotLessConst back single!(|a, b| a >= b);
    /// Goes back to a branch that leaves a loop where `a` and `b` differ, behind it where not.
    LoopEqual again pair!(|a, b| a == b);
    /// Goes back to a branch that leaves a loop where `a` and `b` are equal, behind it where not.
    LoopNotEqual again pair!(|a, b| a != b);
    /// Goes back to a branch that leaves a loop unless `a` is less than `b`, behind it if so.
    LoopLess again pair!(|a, b| a < b);
    /// Goes back to a branch that leaves a loop where `a` is less than `b`, behind it where not.
    LoopNotLess again pair!(|a, b| a >= b);
    /// Goes back to a branch that leaves a loop unless `a` is the constant, behind it if so.
    LoopEqualConst again single!(|a, b| a == b);
    /// Goes back to a branch that leaves a loop where `a` is the constant, behind it where not.
    LoopNotEqualConst again single!(|a, b| a != b);
    /// Goes back to a branch that leaves a loop unless `a` is less than the constant, behind it if so.
    LoopLessConst again single!(|a, b| a < b);
    /// Goes back to a branch that leaves a loop where `a` is less than the constant, behind it where not.
    LoopNotLessConst again single!(|a, b| a >= b);
    /// Adds `c` to `a`, then does as `LoopLess`.
    CountLess again_count |operands| count(operands, operands.op.c()) < operands.b();
    /// Adds `c` to `a`, then does as `LoopLessConst`, with `b` as constant.
    CountLessConst again_count |operands| {
        count(operands, operands.op.c()) < operands.op.short_constant()
    };
    /// Adds `c` to `a`, then does as `LoopNotLessConst`, with `b` as constant.
    CountNotLessConst again_count |operands| {
        count(operands, operands.op.c()) >= operands.op.short_constant()
    };
    /// Adds `b` to `a`, then goes on elsewhere, mostly further back.
    CountGoto back |operands| { count(operands, operands.op.b); true };
    /// Goes to the case that `a` picks by its distance from the lowest key.
    TableSwitch control |machine, operands, pc| machine.table_switch(operands.op, operands.a(), pc), 'a': TableSwitchTaken;
    /// Goes to the case whose key is `a`.
    LookupSwitch control |machine, operands, pc| machine.lookup_switch(operands.op, operands.a(), pc);

    /// Calls a method of the class; its arguments lie from register `a` on.
    Call control |machine, operands, pc| machine.call(operands.op, operands.code, pc);
    /// Stops for a native, whose arguments lie from register `b` on; the constant has the rest.
    Native control |_, _, pc| Flow::Stop(pc, Stop::Native);
    /// Returns from a method without a value.
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
        /// Branches onwards, not far, where `a` is the low half of the constant.
        IfEqualNear onward_near near!(|a, b| a == b), 'a': IfEqualNearTaken;
        /// Branches onwards, not far, where `a` is not the low half of the constant.
        IfNotEqualNear onward_near near!(|a, b| a != b), 'a': IfNotEqualNearTaken;
        /// Branches onwards, not far, where `a` is less than the low half of the constant.
        IfLessNear onward_near near!(|a, b| a < b), 'a': IfLessNearTaken;
        /// Branches onwards, not far, where `a` is not less than the low half of the constant.
        IfNotLessNear onward_near near!(|a, b| a >= b), 'a': IfNotLessNearTaken;
        /// Branches back, not far, where `a` is the low half of the constant.
        BackEqualNear back_near near!(|a, b| a == b);
        /// Branches back, not far, where `a` is not the low half of the constant.
        BackNotEqualNear back_near near!(|a, b| a != b);
        /// Branches back, not far, where `a` is less than the low half of the constant.
        BackLessNear back_near near!(|a, b| a < b);
        /// Branches back, not far, where `a` is not less than the low half of the constant.
        BackNotLessNear back_near near!(|a, b| a >= b);
        /// Does as `LoopEqualConst`, with the low half of the constant, not far.
        LoopEqualNear again_near near!(|a, b| a == b);
        /// Does as `LoopNotEqualConst`, with the low half of the constant, not far.
        LoopNotEqualNear again_near near!(|a, b| a != b);
        /// Does as `LoopLessConst`, with the low half of the constant, not far.
        LoopLessNear again_near near!(|a, b| a < b);
        /// Does as `LoopNotLessConst`, with the low half of the constant, not far.
        LoopNotLessNear again_near near!(|a, b| a >= b);
        /// `a` is the element `c`, plus the offset, of the `byte[]` or `boolean[]` in the field `b`.
        LoadFieldByte load_field |heap, array, element| {
            heap.load_byte(array, element).map(|byte| byte.cast_signed().into())
        }, 'c': LoadFieldByteAtTaken;
        /// Like `LoadFieldByte`, without the sign.
        LoadFieldByteUnsigned load_field |heap, array, element| {
            heap.load_byte(array, element).map(i32::from)
        }, 'c': LoadFieldByteUnsignedAtTaken;
        /// `a` is the element `c`, plus the offset, of the `short[]` in the field `b`.
        LoadFieldShort load_field |heap, array, element| {
            heap.load_short(array, element).map(i32::from)
        }, 'c': LoadFieldShortAtTaken;
        /// `a` is the element `c`, plus the offset, of the `int[]` in the field `b`.
        LoadFieldInt load_field Heap::load_int, 'c': LoadFieldIntAtTaken;
        /// The element `b`, plus the offset, of the `byte[]` or `boolean[]` in the field `a` becomes `c`.
        StoreFieldByte store_field Heap::store_byte, 'c': StoreFieldByteTaken;
        /// The element `b`, plus the offset, of the `short[]` in the field `a` becomes `c`.
        StoreFieldShort store_field Heap::store_short, 'c': StoreFieldShortTaken;
        /// The element `b`, plus the offset, of the `int[]` in the field `a` becomes `c`.
        StoreFieldInt store_field Heap::store_int, 'c': StoreFieldIntTaken;
        /// `a` is the length of the array in the field.
        FieldLength value |machine, operands| {
            let array = machine.fields.get(usize::from(operands.op.low()));
            machine.heap.length(*array.ok_or(TrapKind::Unverified)?)
        };
        /// The constant is added to the field `b`; `a` is the sum.
        AddToField value |machine, operands| {
            let field = machine.fields.get_mut(usize::from(operands.op.b));
            let field = field.ok_or(TrapKind::Unverified)?;
            *field = field.wrapping_add(operands.op.imm());
            Ok(*field)
        };
        /// The field that `a` and `b` number becomes the constant.
        PutConst effect |machine, operands| {
            let field = machine.fields.get_mut(usize::from(operands.op.number()));
            *field.ok_or(TrapKind::Unverified)? = operands.op.imm();
            Ok(())
        };
        /// `a` is `b`, to which the constant is added behind that.
        PostIncrement value |_, operands| {
            let counter = cell(operands.registers, operands.op.b);
            Ok(counter.replace(counter.get().wrapping_add(operands.op.imm())))
        };
    }
    }}};
}

pub(crate) use op_table;
