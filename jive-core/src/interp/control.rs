//! What ops do that leave the straight way: branches, switches, calls, returns and natives.

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

/// Where the run goes on behind an op.
pub(super) enum Flow<'a> {
    /// At the next op. What the op before computed is passed on, since that costs nothing; nobody takes it.
    Next,
    /// At the next op, which may take this value: the op has just computed it.
    Value(i32),
    /// At this op, with what the op before computed, as where the next one follows.
    Onward(usize),
    /// At this op, with nothing: what is not passed on leaves a register of the processor free.
    To(usize),
    /// At this op outside of the loop, less often than not, unless the slice ends there.
    Out(usize),
    /// At this op, in other code and other registers.
    Enter(usize, &'a [Op], &'a Window),
    /// Nowhere: the slice ends at this op.
    Stop(usize, Stop),
    /// Nowhere: the outermost call returns this value.
    Leave(i32),
}

const UNVERIFIED: TrapKind = TrapKind::Unverified;

/// Stores what an op computes in its register `a`.
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

/// Does what an op does that has no result.
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

/// Loads element `c`, plus the offset, of array `b` into register `a`.
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

/// Loads the element of array `b` that the constant names into register `a`.
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

/// Stores register `c` as element `b`, plus the offset, of array `a`.
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

/// Stores register `b` as the element of array `a` that the constant names.
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
        // Nobody takes it; passing on what is at hand leaves a register of the processor free.
        Some(()) => Flow::Value(value),
        None => Flow::Stop(pc, Stop::NoElement),
    }
}

/// Branches onwards. What is skipped is given back, so there is nothing to check.
#[inline(always)]
pub(super) fn go_onward<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    _: usize,
    reach: Reach,
    holds: impl FnOnce(&Operands<'a, '_, TAKEN>) -> bool,
) -> Flow<'a> {
    if holds(operands) {
        machine.credit = machine.credit.wrapping_sub(operands.op.cost(reach));
        Flow::Onward(operands.op.target())
    } else {
        Flow::Next
    }
}

/// Passes the next op over, which takes the branch.
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

/// Branches back.
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

/// Goes back to a branch that leaves a loop, and past it where it would not be taken.
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
    machine.credit = machine.credit.wrapping_sub(operands.op.cost(reach));
    if !stays {
        return Flow::Out(target.wrapping_sub(1));
    }
    machine.afford(target)
}

/// Branches, by what they do and how they hold where they go.
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

/// An op that lowering does without where code is to be small.
const fn left_out<'a>(pc: usize) -> Flow<'a> {
    Flow::Stop(pc, Stop::Trap(UNVERIFIED))
}

/// Does what only this op does.
#[inline(always)]
pub(super) fn control<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    pc: usize,
    perform: impl FnOnce(&mut Machine<'a>, &Operands<'a, '_, TAKEN>, usize) -> Flow<'a>,
) -> Flow<'a> {
    perform(machine, operands, pc)
}

impl<'a> Machine<'a> {
    /// Returns why the op at which the slice ended found no element.
    #[cold]
    #[inline(never)]
    pub(super) fn fault(&self) -> TrapKind {
        let Some(registers) = self.registers() else {
            return UNVERIFIED;
        };
        let op = self.program.ops.get(index(self.pc));
        let op = op.copied().unwrap_or_default();
        let register = |number| cell(registers, number).get();
        let sum = |number| register(number).wrapping_add(op.offset());
        let field = |number| {
            let field = self.fields.get(usize::from(number));
            // Where there is no field, what names no array.
            field.copied().unwrap_or(-1)
        };
        let (array, element) = match op.kind.plain() {
            OpKind::LoadByteAt | OpKind::LoadByteUnsignedAt => (register(op.b), op.imm()),
            OpKind::StoreByteAt => (register(op.a), op.imm()),
            OpKind::StoreByte | OpKind::StoreShort | OpKind::StoreInt => {
                (register(op.a), sum(op.b))
            }
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
        };
        self.heap.fault(array, element)
    }

    #[inline(always)]
    fn charge(&mut self, cost: i32, target: usize) -> Flow<'a> {
        self.credit = self.credit.wrapping_sub(cost);
        self.afford(target)
    }

    /// Goes on at an op, unless the slice ends there.
    #[inline(always)]
    pub(super) const fn afford(&self, target: usize) -> Flow<'a> {
        if self.credit < 0 {
            return Flow::Stop(target, Stop::Pause);
        }
        Flow::To(target)
    }

    #[inline(always)]
    pub(super) fn go(&mut self, op: &Op) -> Flow<'a> {
        self.charge(op.cost(Reach::Wide), op.target())
    }

    #[inline(always)]
    pub(super) fn go_far(&mut self, op: &Op) -> Flow<'a> {
        let target = index(op.second_long().cast_unsigned());
        self.charge(op.first_long(), target)
    }

    #[inline(always)]
    pub(super) fn table_switch(&mut self, op: &Op, key: i32, pc: usize) -> Flow<'a> {
        self.switch(op, key, pc, |default, cases, key| {
            // A key below the lowest wraps to a number that is not below the count of cases. The highest key is an
            // `int` too, so the way around to the lowest is longer than the table.
            let distance = key.wrapping_sub(default.key).cast_unsigned();
            cases.get(index(distance))
        })
    }

    #[inline(always)]
    pub(super) fn lookup_switch(&mut self, op: &Op, key: i32, pc: usize) -> Flow<'a> {
        self.switch(op, key, pc, |_, cases, key| {
            let found = cases.binary_search_by_key(&key, |case| case.key).ok()?;
            cases.get(found)
        })
    }

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

    /// Calls a method whose arguments lie from register `a` on; they become its first registers.
    ///
    /// Where the frame finds no room nothing has changed, so the trap is that of the call.
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
            // Indices of slices that lie in memory together, of elements larger than a byte.
            op: pc.wrapping_add(1) as u32,
            base: self.base,
            limit: code.len() as u32,
            span: self.span,
            resumed: i32::from(executed).wrapping_sub(self.span),
        };
        clear(registers, callee.arguments, callee.registers);
        let left = self.left(executed);
        self.span = callee.span.into();
        self.credit = left.wrapping_sub(self.span);
        self.depth = self.depth.wrapping_add(1);
        self.base = base;
        self.method = op.low().into();
        self.enter(callee.entry, callee.limit, registers)
    }

    /// Goes on at an op of code that is cut off at a limit, unless the slice ends there.
    #[inline(always)]
    fn enter(&self, target: u32, limit: u32, registers: &'a Window) -> Flow<'a> {
        let target = index(target);
        if self.credit < 0 {
            return Flow::Stop(target, Stop::Pause);
        }
        match self.program.ops.get(..index(limit)) {
            Some(code) => Flow::Enter(target, code, registers),
            None => Flow::Stop(target, Stop::Pause),
        }
    }

    /// Returns nothing.
    #[inline(always)]
    pub(super) fn leave(&mut self, executed: u16, pc: usize) -> Flow<'a> {
        if self.depth == 1 {
            self.credit = self.left(executed);
            return Flow::Stop(pc, Stop::Returned);
        }
        self.back_to_caller(executed, pc)
    }

    /// Returns a value, to where the caller's first argument lay.
    #[inline(always)]
    pub(super) fn leave_with(
        &mut self,
        executed: u16,
        to: &Window,
        value: i32,
        pc: usize,
    ) -> Flow<'a> {
        if self.depth == 1 {
            self.credit = self.left(executed);
            return Flow::Leave(value);
        }
        cell(to, 0).set(value);
        self.back_to_caller(executed, pc)
    }

    /// Returns what is left of the potential when a call or a return is done.
    #[inline(always)]
    fn left(&self, executed: u16) -> i32 {
        let potential = self.credit.wrapping_add(self.span);
        potential.wrapping_sub(executed.into())
    }

    #[inline(always)]
    fn back_to_caller(&mut self, executed: u16, pc: usize) -> Flow<'a> {
        let depth = self.depth.wrapping_sub(1);
        // Read one by one, where they are wanted: together they would need more registers of the
        // machine than a function has that saves none.
        let Some(caller) = self.frames.get(index(depth)) else {
            return Flow::Stop(pc, Stop::Trap(UNVERIFIED));
        };
        let Some(registers) = window(self.slots, index(caller.base)) else {
            return Flow::Stop(pc, Stop::Trap(UNVERIFIED));
        };
        self.credit = self.left(executed).wrapping_add(caller.resumed);
        self.span = caller.span;
        self.depth = depth;
        self.base = caller.base;
        self.method = caller.method.0.into();
        self.enter(caller.op, caller.limit, registers)
    }
}

/// Moves the `c` last of `b` registers from `a` on below the others.
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

/// Traps where a reference is null.
#[inline(always)]
pub(super) const fn reject_null(reference: i32) -> Result<(), TrapKind> {
    if reference == 0 {
        Err(TrapKind::NullPointerException)
    } else {
        Ok(())
    }
}

/// Traps where a field would keep an array that ends with the call.
#[inline(always)]
pub(super) fn reject_transient(heap: &Heap<'_>, reference: i32) -> Result<(), TrapKind> {
    if heap.is_transient(reference) {
        Err(TrapKind::TransientEscape)
    } else {
        Ok(())
    }
}
