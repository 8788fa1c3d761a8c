//! The work of ops that depends on their shape: compute a value, access an array, branch, switch, call and return.
//!
//! Each function receives the part of the work that differs between kinds as a closure from a row of the op table. All
//! functions of this file are inlined into their op's code, because calls from op to op take most of an interpreter's
//! time.

use super::Stop;
use super::machine::{Machine, Operands};
use crate::frame::Frame;
use crate::heap::Heap;
use crate::id::MethodId;
use crate::op::{Op, OpKind, Reach};
use crate::program::{SwitchCase, index};
use crate::registers::{Window, cell, clear, window};
use crate::trap::TrapKind;
use crate::variant;

/// How the run continues after an op.
pub(super) enum Flow<'a> {
    /// The run continues with the next op. The accumulator keeps its value, because clearing it would cost an
    /// instruction. The linker makes no op that reads the accumulator after a `Next`.
    Next,
    /// The run continues with the next op. The accumulator becomes the value of the op, which the op also wrote to a
    /// register.
    Value(i32),
    /// The run continues at a branch target. The accumulator keeps its value, as in `Next`.
    Onward(usize),
    /// The run continues at a branch target. The accumulator becomes 0, so that the compiler need not keep its value
    /// until the branch.
    To(usize),
    /// The run continues at this op, which follows a loop, if the budget allows. Leaving a loop is rarer than another
    /// iteration.
    Out(usize),
    /// The run continues at this op of another method or of the caller, in the slice's new code and with new registers.
    Enter(usize, &'a [Op], &'a Window),
    /// The slice ends at this op, at which a later slice begins, or which trapped or called a native.
    Stop(usize, Stop),
    /// The outermost call returns this value.
    Leave(i32),
}

const UNVERIFIED: TrapKind = TrapKind::Unverified;

/// Computes a value and writes it to register `a`.
#[inline(always)]
pub(super) fn value<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    pc: usize,
    compute: impl FnOnce(&mut Machine<'a>, &Operands<'a, '_, TAKEN>) -> Result<i32, TrapKind>,
) -> Flow<'a> {
    match compute(machine, operands) {
        Ok(value) => {
            operands.set(value);
            Flow::Value(value)
        }
        Err(kind) => Flow::Stop(pc, Stop::Trap(kind)),
    }
}

/// Runs an op that has no result register, such as a store to a field.
#[inline(always)]
pub(super) fn effect<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    pc: usize,
    perform: impl FnOnce(&mut Machine<'a>, &Operands<'a, '_, TAKEN>) -> Result<(), TrapKind>,
) -> Flow<'a> {
    match perform(machine, operands) {
        Ok(()) => Flow::Next,
        Err(kind) => Flow::Stop(pc, Stop::Trap(kind)),
    }
}

/// Loads an element of an array. Register `b` has the array's reference, and the index is register `c` plus the op's
/// offset.
#[inline(always)]
pub(super) fn load<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    pc: usize,
    load: impl FnOnce(&Heap<'a>, i32, i32) -> Option<i32>,
) -> Flow<'a> {
    let element = operands.c().wrapping_add(operands.op.offset());
    load_element(machine, operands, pc, (operands.b(), element), load)
}

/// Loads an element of an array at a constant index. Register `b` has the array's reference.
#[inline(always)]
pub(super) fn load_at<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    pc: usize,
    load: impl FnOnce(&Heap<'a>, i32, i32) -> Option<i32>,
) -> Flow<'a> {
    if variant::SMALL {
        return left_out(pc);
    }
    let element = (operands.b(), operands.op.imm());
    load_element(machine, operands, pc, element, load)
}

#[inline(always)]
pub(super) fn load_element<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    pc: usize,
    (array, element): (i32, i32),
    load: impl FnOnce(&Heap<'a>, i32, i32) -> Option<i32>,
) -> Flow<'a> {
    match load(&machine.heap, array, element) {
        Some(value) => {
            operands.set(value);
            Flow::Value(value)
        }
        None => Flow::Stop(pc, Stop::NoElement),
    }
}

/// Stores register `c` as an element of an array. Register `a` has the array's reference, and the index is register `b`
/// plus the op's offset.
#[inline(always)]
pub(super) fn store<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    pc: usize,
    store: impl FnOnce(&mut Heap<'a>, i32, i32, i32) -> Option<()>,
) -> Flow<'a> {
    let element = operands.b().wrapping_add(operands.op.offset());
    let element = (operands.a(), element);
    store_element(machine, pc, element, operands.c(), store)
}

/// Stores register `b` as an element of an array at a constant index. Register `a` has the array's reference.
#[inline(always)]
pub(super) fn store_at<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    pc: usize,
    store: impl FnOnce(&mut Heap<'a>, i32, i32, i32) -> Option<()>,
) -> Flow<'a> {
    if variant::SMALL {
        return left_out(pc);
    }
    let element = (operands.a(), operands.op.imm());
    store_element(machine, pc, element, operands.b(), store)
}

#[inline(always)]
pub(super) fn store_element<'a>(
    machine: &mut Machine<'a>,
    pc: usize,
    (array, element): (i32, i32),
    value: i32,
    store: impl FnOnce(&mut Heap<'a>, i32, i32, i32) -> Option<()>,
) -> Flow<'a> {
    match store(&mut machine.heap, array, element, value) {
        // No op reads the accumulator after a store. But the stored value is in a processor register already, so the
        // compiler need not keep the accumulator's old value.
        Some(()) => Flow::Value(value),
        None => Flow::Stop(pc, Stop::NoElement),
    }
}

/// Branches forwards. The budget grows by the count of instructions that the branch skips, so the branch need not check
/// the budget.
#[inline(always)]
pub(super) fn go_onward<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    _: usize,
    reach: Reach,
    holds: impl FnOnce(&Operands<'a, '_, TAKEN>) -> bool,
) -> Flow<'a> {
    if holds(operands) {
        machine.budget = machine.budget.wrapping_sub(operands.op.cost(reach));
        Flow::Onward(operands.op.target())
    } else {
        Flow::Next
    }
}

/// Skips the next op, which is the far jump of a branch that is not taken.
#[inline(always)]
pub(super) fn skip<'a, const TAKEN: char>(
    _: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    pc: usize,
    holds: impl FnOnce(&Operands<'a, '_, TAKEN>) -> bool,
) -> Flow<'a> {
    if holds(operands) {
        Flow::Onward(pc.wrapping_add(2))
    } else {
        Flow::Next
    }
}

/// Branches backwards, and subtracts the instructions of the loop from the budget.
#[inline(always)]
pub(super) fn go_back<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    _: usize,
    reach: Reach,
    holds: impl FnOnce(&Operands<'a, '_, TAKEN>) -> bool,
) -> Flow<'a> {
    if holds(operands) {
        machine.charge(operands.op.cost(reach), operands.op.target())
    } else {
        Flow::Next
    }
}

/// Jumps back to a branch that leaves a loop, and makes the comparison of that branch as well.
///
/// If the run stays in the loop, it continues at the op's target, which is the op after the branch that leaves the
/// loop. If the run does not stay in the loop, it continues at the branch that leaves the loop.
#[inline(always)]
pub(super) fn go_again<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    pc: usize,
    reach: Reach,
    stays: impl FnOnce(&Operands<'a, '_, TAKEN>) -> bool,
) -> Flow<'a> {
    if variant::SMALL {
        return left_out(pc);
    }
    let stays = stays(operands);
    let target = operands.op.target();
    machine.budget = machine.budget.wrapping_sub(operands.op.cost(reach));
    if !stays {
        return Flow::Out(target.wrapping_sub(1));
    }
    machine.afford(target)
}

/// Defines a function for each shape of branch: how it continues, and how its op encodes the cost.
macro_rules! branches {
    ($($name:ident: $goes:ident $Reach:ident;)+) => {
        $(
            #[doc = concat!("Does as `", stringify!($goes), "`, by `Reach::", stringify!($Reach), "`.")]
            #[inline(always)]
            pub(super) fn $name<'a, const TAKEN: char>(
                machine: &mut Machine<'a>,
                operands: &Operands<'a, '_, TAKEN>,
                pc: usize,
                holds: impl FnOnce(&Operands<'a, '_, TAKEN>) -> bool,
            ) -> Flow<'a> {
                $goes(machine, operands, pc, Reach::$Reach, holds)
            }
        )+
    };
}

branches! {
    onward: go_onward Wide;
    back: go_back Wide;
    again: go_again Wide;
    again_count: go_again Count;
}

/// Ends the run at an op that the linker never makes in the small variant, which therefore contains no code for the op.
const fn left_out<'a>(pc: usize) -> Flow<'a> {
    Flow::Stop(pc, Stop::Trap(UNVERIFIED))
}

/// Runs an op that shares its shape with no other kind.
#[inline(always)]
pub(super) fn control<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    pc: usize,
    perform: impl FnOnce(&mut Machine<'a>, &Operands<'a, '_, TAKEN>, usize) -> Flow<'a>,
) -> Flow<'a> {
    perform(machine, operands, pc)
}

/// Returns the array and the index that an op accesses, if it is a load or a store.
///
/// An operand that an op reads from the accumulator is in the operand's register too.
#[inline(always)]
pub(super) fn element(op: &Op, fields: &[i32], register: impl Fn(u8) -> i32) -> (i32, i32) {
    let sum = |number| register(number).wrapping_add(op.offset());
    // For a field that does not exist, the closure `field` returns -1, a reference that names no array.
    let field = |number| fields.get(usize::from(number)).copied().unwrap_or(-1);
    match op.kind.plain() {
        OpKind::LoadByteAt | OpKind::LoadByteUnsignedAt => (register(op.b), op.imm()),
        OpKind::StoreByteAt => (register(op.a), op.imm()),
        OpKind::StoreByte | OpKind::StoreShort | OpKind::StoreInt => (register(op.a), sum(op.b)),
        OpKind::LoadFieldByte
        | OpKind::LoadFieldByteUnsigned
        | OpKind::LoadFieldShort
        | OpKind::LoadFieldInt
            if variant::THREADED =>
        {
            (field(op.b), sum(op.c()))
        }
        OpKind::StoreFieldByte | OpKind::StoreFieldShort | OpKind::StoreFieldInt
            if variant::THREADED =>
        {
            (field(op.a), sum(op.b))
        }
        _ => (register(op.b), sum(op.c())),
    }
}

impl<'a> Machine<'a> {
    /// Returns the trap of the load or store at which the slice ended.
    ///
    /// Loads and stores only find that the array has no element with the index. `fault` finds the reason for a failed
    /// load or store from the op's operands, which keeps this code out of the ops.
    #[cold]
    #[inline(never)]
    pub(super) fn fault(&self) -> TrapKind {
        let Some(registers) = self.registers() else {
            return UNVERIFIED;
        };
        let op = self.program.ops.get(index(self.pc));
        let op = op.copied().unwrap_or_default();
        let (array, element) = element(&op, self.fields, |number| cell(registers, number).get());
        self.heap.fault(array, element)
    }

    /// Subtracts the cost of a branch from the budget, and continues at the branch target if the budget allows.
    #[inline(always)]
    fn charge(&mut self, cost: i32, target: usize) -> Flow<'a> {
        self.budget = self.budget.wrapping_sub(cost);
        self.afford(target)
    }

    /// Continues at an op, or ends the slice if the budget is overdrawn.
    #[inline(always)]
    pub(super) const fn afford(&self, target: usize) -> Flow<'a> {
        if self.budget < 0 {
            return Flow::Stop(target, Stop::Pause);
        }
        Flow::To(target)
    }

    /// Jumps to a branch target that the op encodes in 16 bits.
    #[inline(always)]
    pub(super) fn go(&mut self, op: &Op) -> Flow<'a> {
        self.charge(op.cost(Reach::Wide), op.target())
    }

    /// Jumps to any target.
    #[inline(always)]
    pub(super) fn go_far(&mut self, op: &Op) -> Flow<'a> {
        let target = index(op.second_long().cast_unsigned());
        self.charge(op.first_long(), target)
    }

    /// Looks up the case of a key by the key's distance from the lowest key (JVMS §6.5.tableswitch).
    #[inline(always)]
    pub(super) fn table_switch(&mut self, op: &Op, key: i32, pc: usize) -> Flow<'a> {
        self.switch(op, key, pc, |default, cases, key| {
            // A key below the lowest wraps to a distance past the last case. The switch has a row for each `int` from
            // the lowest key to the highest, so all other keys have larger distances.
            let distance = key.wrapping_sub(default.key).cast_unsigned();
            cases.get(index(distance))
        })
    }

    /// Searches for the case of a key (JVMS §6.5.lookupswitch).
    #[inline(always)]
    pub(super) fn lookup_switch(&mut self, op: &Op, key: i32, pc: usize) -> Flow<'a> {
        self.switch(op, key, pc, |_, cases, key| {
            let found = cases.binary_search_by_key(&key, |case| case.key).ok()?;
            cases.get(found)
        })
    }

    /// Jumps to the case that `find` returns, or to the default.
    #[inline(always)]
    fn switch(
        &mut self,
        op: &Op,
        key: i32,
        pc: usize,
        find: impl for<'s> FnOnce(SwitchCase, &'s [SwitchCase], i32) -> Option<&'s SwitchCase>,
    ) -> Flow<'a> {
        let rows = self
            .program
            .switches
            .get(index(op.second_long().cast_unsigned())..);
        let Some((default, behind)) = rows.and_then(<[_]>::split_first) else {
            return Flow::Stop(pc, Stop::Trap(UNVERIFIED));
        };
        let cases = behind.get(..usize::from(op.cases())).unwrap_or_default();
        let case = *find(*default, cases, key).unwrap_or(default);
        self.charge(case.cost, index(case.target))
    }

    /// Calls a method. The call's arguments are in the registers from `a` on, which become the callee's first
    /// registers.
    ///
    /// If the call stack has no room for another frame, the call traps before it has changed any state.
    #[inline(always)]
    pub(super) fn call(&mut self, op: &Op, code: &'a [Op], pc: usize) -> Flow<'a> {
        let id = usize::from(op.low());
        let Some(callee) = self.program.methods.get(id) else {
            return Flow::Stop(pc, Stop::Trap(UNVERIFIED));
        };
        let base = self.base.wrapping_add(op.a.into());
        let (Some(registers), Some(frame)) = (
            window(self.slots, index(base)),
            self.frames.get_mut(index(self.depth)),
        ) else {
            return Flow::Stop(pc, Stop::Trap(TrapKind::StackOverflowError));
        };
        let executed = op.high();
        *frame = Frame {
            method: MethodId(self.method as u16),
            // The cast is lossless, because the linker has checked that a program has at most `u32::MAX` ops.
            op: pc.wrapping_add(1) as u32,
            base: self.base,
            limit: code.len() as u32,
            prepaid: self.prepaid,
            resume_cost: self.prepaid.wrapping_sub(executed.into()),
        };
        clear(registers, callee.arguments, callee.registers);
        let left = self.unspent(executed);
        self.prepaid = callee.prepaid.into();
        self.budget = left.wrapping_sub(self.prepaid);
        self.depth = self.depth.wrapping_add(1);
        self.base = base;
        self.method = op.low().into();
        self.enter(callee.entry, callee.limit, registers)
    }

    /// Continues in the code of another method, which ends at `limit`, or ends the slice if the budget is overdrawn.
    #[inline(always)]
    fn enter(&self, target: u32, limit: u32, registers: &'a Window) -> Flow<'a> {
        let target = index(target);
        if self.budget < 0 {
            return Flow::Stop(target, Stop::Pause);
        }
        match self.program.ops.get(..index(limit)) {
            Some(code) => Flow::Enter(target, code, registers),
            None => Flow::Stop(target, Stop::Pause),
        }
    }

    /// Returns from a void method.
    #[inline(always)]
    pub(super) fn leave(&mut self, executed: u16, pc: usize) -> Flow<'a> {
        if self.depth == 1 {
            self.budget = self.unspent(executed);
            return Flow::Stop(pc, Stop::Returned);
        }
        self.back_to_caller(executed, pc)
    }

    /// Returns a value from a method. The returned value replaces the first argument in the register where the caller
    /// expects the result.
    #[inline(always)]
    pub(super) fn leave_with(
        &mut self,
        executed: u16,
        to: &Window,
        value: i32,
        pc: usize,
    ) -> Flow<'a> {
        if self.depth == 1 {
            self.budget = self.unspent(executed);
            return Flow::Leave(value);
        }
        cell(to, 0).set(value);
        self.back_to_caller(executed, pc)
    }

    /// Returns how much of the slice's fuel is left after a call or return that is the method's instruction number
    /// `executed`.
    #[inline(always)]
    fn unspent(&self, executed: u16) -> i32 {
        let entry_fuel = self.budget.wrapping_add(self.prepaid);
        entry_fuel.wrapping_sub(executed.into())
    }

    /// Resumes the caller.
    #[inline(always)]
    fn back_to_caller(&mut self, executed: u16, pc: usize) -> Flow<'a> {
        let depth = self.depth.wrapping_sub(1);
        // The frame's fields are read one at a time, shortly before they are needed. If all fields of the frame were
        // read at once, a function would have to save some processor registers to the stack.
        let Some(caller) = self.frames.get(index(depth)) else {
            return Flow::Stop(pc, Stop::Trap(UNVERIFIED));
        };
        let Some(registers) = window(self.slots, index(caller.base)) else {
            return Flow::Stop(pc, Stop::Trap(UNVERIFIED));
        };
        self.budget = self.unspent(executed).wrapping_sub(caller.resume_cost);
        self.prepaid = caller.prepaid;
        self.depth = depth;
        self.base = caller.base;
        self.method = caller.method.0.into();
        self.enter(caller.op, caller.limit, registers)
    }
}

/// Of the `b` registers from `a` on, moves the last `c` below the others, for instructions such as `dup_x1`.
pub(super) fn rotate(op: &Op, registers: &Window) {
    let first = usize::from(op.a);
    let all = registers.get(first..first.wrapping_add(usize::from(op.b)));
    for _ in 0..op.c() {
        let mut last = all.and_then(<[_]>::last).map_or(0, core::cell::Cell::get);
        for register in all.unwrap_or_default() {
            last = register.replace(last);
        }
    }
}

/// Traps if a reference is null.
#[inline(always)]
pub(super) const fn reject_null(reference: i32) -> Result<(), TrapKind> {
    if reference == 0 {
        Err(TrapKind::NullPointerException)
    } else {
        Ok(())
    }
}

/// Traps if a reference names an array that is freed at the end of the call, so that no field keeps it.
#[inline(always)]
pub(super) fn reject_transient(heap: &Heap<'_>, reference: i32) -> Result<(), TrapKind> {
    if heap.is_transient(reference) {
        Err(TrapKind::TransientEscape)
    } else {
        Ok(())
    }
}
