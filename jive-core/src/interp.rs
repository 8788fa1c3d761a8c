//! The dispatch loop: what each op does to the operand stack, the fields and the heap.

use crate::frame::Cursor;
use crate::heap::Heap;
use crate::id::{FieldId, MethodId};
use crate::opcode::StackEffect;
use crate::program::{LinkedMethod, NativeCall, Op, Program, SwitchCase, ValueKind};
use crate::trap::TrapKind;

/// How the loop ends without a trap.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Exit {
    /// The outermost call returned.
    Returned(Option<i32>),
    /// A native is to be performed; its arguments are still on the operand stack.
    Native(NativeCall),
}

/// Runs ops from the cursor on until the outermost call returns, traps or needs a native.
///
/// On a trap the cursor stands at the op that trapped. Fuel is taken before an op has any effect.
pub(crate) fn execute(
    program: &Program<'_>,
    fields: &mut [i32],
    heap: &mut Heap<'_>,
    cursor: &mut Cursor<'_>,
) -> Result<Exit, TrapKind> {
    loop {
        let op = *program
            .ops
            .get(index(cursor.op))
            .ok_or(TrapKind::Unverified)?;
        // Each op stands for one instruction so far, as its origin says.
        cursor.fuel = cursor.fuel.checked_sub(1).ok_or(TrapKind::FuelExhausted)?;
        let top_before = cursor.top();
        let mut next = cursor.op.wrapping_add(1);
        match op {
            Op::Nop => {}
            Op::Push(value) => cursor.push(value)?,
            Op::Load(local) => cursor.push(cursor.local(local)?)?,
            Op::Store(local) => *cursor.local_mut(local)? = cursor.pop()?,
            Op::Increment { local, by } => {
                let variable = cursor.local_mut(local)?;
                *variable = variable.wrapping_add(i32::from(by));
            }

            Op::LoadByte => {
                let (array, element) = pop_element(cursor)?;
                cursor.push(heap.load_byte(array, element)?)?;
            }
            Op::LoadShort => {
                let (array, element) = pop_element(cursor)?;
                cursor.push(heap.load_short(array, element)?)?;
            }
            Op::LoadInt => {
                let (array, element) = pop_element(cursor)?;
                cursor.push(heap.load_int(array, element)?)?;
            }
            Op::StoreByte => {
                let value = cursor.pop()?;
                let (array, element) = pop_element(cursor)?;
                heap.store_byte(array, element, value)?;
            }
            Op::StoreShort => {
                let value = cursor.pop()?;
                let (array, element) = pop_element(cursor)?;
                heap.store_short(array, element, value)?;
            }
            Op::StoreInt => {
                let value = cursor.pop()?;
                let (array, element) = pop_element(cursor)?;
                heap.store_int(array, element, value)?;
            }
            Op::ArrayLength => {
                let array = cursor.pop()?;
                cursor.push(heap.length(array)?)?;
            }
            Op::NewArray(kind) => {
                let length = cursor.pop()?;
                cursor.push(heap.allocate(kind, length)?)?;
            }

            Op::Pop => cursor.drop_values(1)?,
            Op::Pop2 => cursor.drop_values(2)?,
            Op::Dup => cursor.pick(0)?,
            Op::DupX1 => {
                cursor.pick(0)?;
                cursor.rotate(3, 1)?;
            }
            Op::DupX2 => {
                cursor.pick(0)?;
                cursor.rotate(4, 1)?;
            }
            Op::Dup2 => pick_pair(cursor)?,
            Op::Dup2X1 => {
                pick_pair(cursor)?;
                cursor.rotate(5, 2)?;
            }
            Op::Dup2X2 => {
                pick_pair(cursor)?;
                cursor.rotate(6, 2)?;
            }
            Op::Swap => cursor.rotate(2, 1)?,

            Op::Add => cursor.binary(i32::wrapping_add)?,
            Op::Subtract => cursor.binary(i32::wrapping_sub)?,
            Op::Multiply => cursor.binary(i32::wrapping_mul)?,
            Op::Divide => {
                let divisor = pop_divisor(cursor)?;
                // One quotient is no `int`: MIN_VALUE / -1, which wraps to its dividend.
                cursor.unary(|dividend| dividend.checked_div(divisor).unwrap_or(dividend))?;
            }
            Op::Remainder => {
                let divisor = pop_divisor(cursor)?;
                // Where the quotient wraps, the remainder is 0 (JVMS §6.5.irem).
                cursor.unary(|dividend| dividend.checked_rem(divisor).unwrap_or(0))?;
            }
            Op::Negate => cursor.unary(i32::wrapping_neg)?,
            // The wrapping shifts take the low five bits of the count, as JVMS §6.5.ishl does.
            Op::ShiftLeft => cursor.binary(|a, b| a.wrapping_shl(b.cast_unsigned()))?,
            Op::ShiftRight => cursor.binary(|a, b| a.wrapping_shr(b.cast_unsigned()))?,
            Op::ShiftRightUnsigned => cursor.binary(|a, b| {
                a.cast_unsigned()
                    .wrapping_shr(b.cast_unsigned())
                    .cast_signed()
            })?,
            Op::And => cursor.binary(|a, b| a & b)?,
            Op::Or => cursor.binary(|a, b| a | b)?,
            Op::Xor => cursor.binary(|a, b| a ^ b)?,
            Op::Narrow(kind) => cursor.unary(|value| kind.narrow(value))?,

            Op::Goto(target) => next = target,
            Op::IfZero(target) => branch_if(cursor, &mut next, target, |a| a == 0)?,
            Op::IfNotZero(target) => branch_if(cursor, &mut next, target, |a| a != 0)?,
            Op::IfNegative(target) => branch_if(cursor, &mut next, target, |a| a < 0)?,
            Op::IfNotNegative(target) => branch_if(cursor, &mut next, target, |a| a >= 0)?,
            Op::IfPositive(target) => branch_if(cursor, &mut next, target, |a| a > 0)?,
            Op::IfNotPositive(target) => branch_if(cursor, &mut next, target, |a| a <= 0)?,
            Op::IfEqual(target) => compare(cursor, &mut next, target, |a, b| a == b)?,
            Op::IfNotEqual(target) => compare(cursor, &mut next, target, |a, b| a != b)?,
            Op::IfLess(target) => compare(cursor, &mut next, target, |a, b| a < b)?,
            Op::IfNotLess(target) => compare(cursor, &mut next, target, |a, b| a >= b)?,
            Op::IfGreater(target) => compare(cursor, &mut next, target, |a, b| a > b)?,
            Op::IfNotGreater(target) => compare(cursor, &mut next, target, |a, b| a <= b)?,
            Op::TableSwitch { default, cases } => {
                next = table_target(switch(program, default, cases)?, cursor.pop()?);
            }
            Op::LookupSwitch { default, cases } => {
                next = lookup_target(switch(program, default, cases)?, cursor.pop()?);
            }

            Op::GetStatic(id) => cursor.push(*field(fields, id)?)?,
            Op::GetField(id) => {
                reject_null(cursor.pop()?)?;
                cursor.push(*field(fields, id)?)?;
            }
            Op::PutStatic { field: id, kind } => {
                let value = cursor.pop()?;
                *field(fields, id)? = storable(heap, kind, value)?;
            }
            Op::PutField { field: id, kind } => {
                let value = cursor.pop()?;
                reject_null(cursor.pop()?)?;
                *field(fields, id)? = storable(heap, kind, value)?;
            }

            Op::InvokeStatic(id) => {
                let callee = callee(program, id)?;
                cursor.enter(id, callee)?;
                next = callee.entry;
            }
            Op::InvokeInstance(id) => {
                let callee = callee(program, id)?;
                let behind_receiver = usize::from(callee.arguments).wrapping_sub(1);
                reject_null(cursor.receiver(behind_receiver)?)?;
                cursor.enter(id, callee)?;
                next = callee.entry;
            }
            Op::InvokeNative(call) => {
                if call.has_receiver {
                    reject_null(cursor.receiver(usize::from(call.arguments))?)?;
                }
                return Ok(Exit::Native(call));
            }
            Op::Return => match cursor.leave()? {
                Some(caller) => next = caller.wrapping_add(1),
                None => return Ok(Exit::Returned(None)),
            },
            Op::ReturnValue(kind) => {
                let value = kind.narrow(cursor.pop()?);
                match cursor.leave()? {
                    Some(caller) => next = caller.wrapping_add(1),
                    None => return Ok(Exit::Returned(Some(value))),
                }
                cursor.push(value)?;
            }
        }
        if cfg!(debug_assertions) {
            check_effect(program, cursor, top_before)?;
        }
        cursor.op = next;
    }
}

/// Pops an index and, below it, an array.
#[inline]
fn pop_element(cursor: &mut Cursor<'_>) -> Result<(i32, i32), TrapKind> {
    let element = cursor.pop()?;
    Ok((cursor.pop()?, element))
}

#[inline]
fn pop_divisor(cursor: &mut Cursor<'_>) -> Result<i32, TrapKind> {
    match cursor.pop()? {
        0 => Err(TrapKind::ArithmeticException),
        divisor => Ok(divisor),
    }
}

#[inline]
fn pick_pair(cursor: &mut Cursor<'_>) -> Result<(), TrapKind> {
    cursor.pick(1)?;
    cursor.pick(1)
}

#[inline]
fn branch_if(
    cursor: &mut Cursor<'_>,
    next: &mut u32,
    target: u32,
    taken: impl FnOnce(i32) -> bool,
) -> Result<(), TrapKind> {
    if taken(cursor.pop()?) {
        *next = target;
    }
    Ok(())
}

#[inline]
fn compare(
    cursor: &mut Cursor<'_>,
    next: &mut u32,
    target: u32,
    taken: impl FnOnce(i32, i32) -> bool,
) -> Result<(), TrapKind> {
    let second = cursor.pop()?;
    branch_if(cursor, next, target, |first| taken(first, second))
}

#[inline]
const fn reject_null(reference: i32) -> Result<(), TrapKind> {
    if reference == 0 {
        Err(TrapKind::NullPointerException)
    } else {
        Ok(())
    }
}

/// Returns what a field of this kind keeps of a value; an array that ends with the call is refused.
#[inline]
fn storable(heap: &Heap<'_>, kind: ValueKind, value: i32) -> Result<i32, TrapKind> {
    match kind {
        ValueKind::Reference if heap.is_transient(value) => Err(TrapKind::TransientEscape),
        ValueKind::Reference
        | ValueKind::Int
        | ValueKind::Byte
        | ValueKind::Short
        | ValueKind::Boolean => Ok(kind.narrow(value)),
    }
}

#[inline]
fn field(fields: &mut [i32], id: FieldId) -> Result<&mut i32, TrapKind> {
    fields.get_mut(id.index()).ok_or(TrapKind::Unverified)
}

#[inline]
fn callee<'p>(program: &Program<'p>, id: MethodId) -> Result<&'p LinkedMethod, TrapKind> {
    program.method(id).ok_or(TrapKind::Unverified)
}

/// Returns the default case of a switch, and its other cases.
#[inline]
fn switch<'p>(
    program: &Program<'p>,
    default: u32,
    cases: u16,
) -> Result<(SwitchCase, &'p [SwitchCase]), TrapKind> {
    let from_default = program
        .switches
        .get(index(default)..)
        .and_then(<[_]>::split_first);
    from_default
        .and_then(|(default, behind)| Some((*default, behind.get(..usize::from(cases))?)))
        .ok_or(TrapKind::Unverified)
}

fn table_target((default, cases): (SwitchCase, &[SwitchCase]), key: i32) -> u32 {
    // A key below the lowest wraps to a number that is not below the count of cases: the highest key
    // is an `int` too, so the way round from it to the lowest is longer than the table.
    let distance = key.wrapping_sub(default.key).cast_unsigned();
    cases.get(index(distance)).unwrap_or(&default).target
}

fn lookup_target((default, cases): (SwitchCase, &[SwitchCase]), key: i32) -> u32 {
    let found = cases.binary_search_by_key(&key, |case| case.key).ok();
    found
        .and_then(|at| cases.get(at))
        .unwrap_or(&default)
        .target
}

/// Compares what an op did to the operand stack with what the opcode table declares.
fn check_effect(
    program: &Program<'_>,
    cursor: &Cursor<'_>,
    top_before: usize,
) -> Result<(), TrapKind> {
    let origin = program.origin(cursor.op).ok_or(TrapKind::Unverified)?;
    let as_declared = match origin.opcode.effect() {
        StackEffect::Fixed { pops, pushes } => {
            top_before.checked_add(pushes.len()) == cursor.top().checked_add(pops.len())
        }
        StackEffect::Special => true,
        StackEffect::Unsupported(_) => false,
    };
    let (id, in_use) = cursor.running().ok_or(TrapKind::Unverified)?;
    let method = callee(program, id)?;
    let frame = usize::from(method.max_locals)..=index(method.slots());
    if as_declared && frame.contains(&in_use) {
        Ok(())
    } else {
        Err(TrapKind::Unverified)
    }
}

/// Returns the number of an op or a case as an index.
#[inline]
const fn index(number: u32) -> usize {
    // `usize` has at least 32 bits on every target the crate builds for; `From` is not offered.
    number as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{CallStack, Frame};
    use crate::id::NativeId;
    use crate::instance::{Instance, Lifetime, Step};
    use crate::opcode::Opcode;
    use crate::program::Origin;

    const LOCALS: u16 = 1;
    const STACK: u16 = 6;

    /// Runs ops of a method with one local variable, which holds 9, and room for six operands.
    fn run(ops: &[Op], check: impl FnOnce(Step<'_>)) {
        // `dup` has no fixed effect, so any op may claim to be one.
        let origin = Origin {
            opcode: Opcode::Dup,
            ..Origin::default()
        };
        run_as(ops, &[origin; 16], check);
    }

    fn run_as(ops: &[Op], origins: &[Origin], check: impl FnOnce(Step<'_>)) {
        let methods = [LinkedMethod {
            ops: 1,
            arguments: 1,
            max_locals: LOCALS,
            max_stack: STACK,
            ..LinkedMethod::default()
        }];
        let program = Program {
            ops,
            origins,
            methods: &methods,
            fields: &[],
            switches: &[],
            initializer: None,
            constructor: None,
            applet: None,
            code_bytes: 0,
        };
        let (mut frames, mut slots) = ([Frame::default(); 2], [0; 7]);
        let mut stack = CallStack::new(&mut frames, &mut slots);
        let mut instance = Instance::new(program, &mut [], Heap::new(&mut []));
        let started = instance.start(&mut stack, MethodId(0), &[9], 100, Lifetime::PerCall);
        assert_eq!(started, Ok(()));
        check(instance.run(&mut stack));
    }

    /// Shows the operand stack to the test, as the arguments of a native.
    const fn show(arguments: u8) -> Op {
        Op::InvokeNative(NativeCall {
            id: NativeId(0),
            arguments,
            has_result: false,
            has_receiver: false,
        })
    }

    #[test]
    fn stack_shuffles_order_values_as_specified() {
        // JVMS §6.5, forms of category 1; the values 1, 2, 3 and 4 are pushed in this order.
        let cases: [(Op, &[i32]); 9] = [
            (Op::Pop, &[1, 2, 3]),
            (Op::Pop2, &[1, 2]),
            (Op::Dup, &[1, 2, 3, 4, 4]),
            (Op::DupX1, &[1, 2, 4, 3, 4]),
            (Op::DupX2, &[1, 4, 2, 3, 4]),
            (Op::Dup2, &[1, 2, 3, 4, 3, 4]),
            (Op::Dup2X1, &[1, 3, 4, 2, 3, 4]),
            (Op::Dup2X2, &[3, 4, 1, 2, 3, 4]),
            (Op::Swap, &[1, 2, 4, 3]),
        ];
        for (op, expected) in cases {
            let count = u8::try_from(expected.len()).unwrap();
            let push = [1, 2, 3, 4].map(Op::Push);
            let ops = [push[0], push[1], push[2], push[3], op, show(count)];
            run(&ops, |step| {
                let id = NativeId(0);
                assert_eq!(step, Step::Native { id, args: expected }, "{op:?}");
            });
        }
    }

    #[test]
    fn broken_promises_are_noticed() {
        let field = FieldId(0);
        let kind = ValueKind::Int;
        let cases: [&[Op]; 14] = [
            &[],
            &[Op::Nop],
            &[Op::Goto(7)],
            &[Op::Goto(u32::MAX)],
            &[Op::Load(7)],
            &[Op::Push(1), Op::Store(u16::MAX)],
            &[Op::Increment { local: 7, by: 1 }],
            &[Op::Push(1), Op::Goto(0)],
            &[Op::Pop2],
            &[Op::Swap],
            &[Op::GetStatic(field)],
            &[Op::Push(1), Op::PutStatic { field, kind }],
            &[Op::InvokeStatic(MethodId(1))],
            &[
                Op::Push(1),
                Op::TableSwitch {
                    default: 0,
                    cases: 0,
                },
            ],
        ];
        for ops in cases {
            run(ops, |step| {
                let kind = TrapKind::Unverified;
                assert!(
                    matches!(step, Step::Trapped(trap) if trap.kind == kind),
                    "{ops:?}"
                );
            });
        }
    }

    #[test]
    #[cfg(debug_assertions)]
    fn an_op_that_does_not_do_what_its_opcode_declares_is_noticed() {
        let origin = |opcode| Origin {
            opcode,
            ..Origin::default()
        };
        let ops = [Op::Push(1), Op::ReturnValue(ValueKind::Int)];
        for (opcode, ends_well) in [
            (Opcode::Iconst1, true),
            (Opcode::Nop, false),
            (Opcode::Iadd, false),
            (Opcode::Lconst1, false),
        ] {
            run_as(&ops, &[origin(opcode), origin(Opcode::Ireturn)], |step| {
                assert_eq!(step == Step::Returned(Some(1)), ends_well, "{opcode}");
            });
        }
    }
}
