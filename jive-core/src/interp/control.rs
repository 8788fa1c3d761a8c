//! What ops do that leave the straight way: branches, switches, calls, returns and natives.

use super::machine::{Machine, cell, clear, window};
use super::op::Op;
use super::{OpKind, Stop, Window};
use crate::frame::Frame;
use crate::heap::Heap;
use crate::id::MethodId;
use crate::program::{SwitchCase, index};
use crate::trap::TrapKind;

/// Where the run goes on behind an op.
pub(super) enum Flow {
    /// At the next op.
    Next,
    /// At this op.
    To(usize),
    /// At this op, in other code and other registers.
    Enter(usize),
    /// Nowhere: the slice ends at this op.
    Stop(usize, Stop),
}

const UNVERIFIED: TrapKind = TrapKind::Unverified;

/// Stores what an op computes in its register `a`.
#[inline(always)]
pub(super) fn value<'a>(
    machine: &mut Machine<'a>,
    op: &Op,
    pc: usize,
    registers: &'a Window,
    compute: impl FnOnce(&mut Machine<'a>, &Op, &'a Window) -> Result<i32, TrapKind>,
) -> Flow {
    match compute(machine, op, registers) {
        Ok(value) => {
            cell(registers, op.a).set(value);
            Flow::Next
        }
        Err(kind) => Flow::Stop(pc, Stop::Trap(kind)),
    }
}

/// Does what an op does that has no result.
#[inline(always)]
pub(super) fn effect<'a>(
    machine: &mut Machine<'a>,
    op: &Op,
    pc: usize,
    registers: &'a Window,
    perform: impl FnOnce(&mut Machine<'a>, &Op, &'a Window) -> Result<(), TrapKind>,
) -> Flow {
    match perform(machine, op, registers) {
        Ok(()) => Flow::Next,
        Err(kind) => Flow::Stop(pc, Stop::Trap(kind)),
    }
}

/// Loads element `c`, plus the constant, of array `b` into register `a`.
#[inline(always)]
pub(super) fn load<'a>(
    machine: &mut Machine<'a>,
    op: &Op,
    pc: usize,
    registers: &'a Window,
    load: impl FnOnce(&Heap<'a>, i32, i32) -> Option<i32>,
) -> Flow {
    let element = cell(registers, op.c).get().wrapping_add(op.imm);
    load_element(machine, op, pc, registers, element, load)
}

/// Loads the element of array `b` that the constant names into register `a`.
#[inline(always)]
pub(super) fn load_at<'a>(
    machine: &mut Machine<'a>,
    op: &Op,
    pc: usize,
    registers: &'a Window,
    load: impl FnOnce(&Heap<'a>, i32, i32) -> Option<i32>,
) -> Flow {
    load_element(machine, op, pc, registers, op.imm, load)
}

#[inline(always)]
fn load_element<'a>(
    machine: &mut Machine<'a>,
    op: &Op,
    pc: usize,
    registers: &'a Window,
    element: i32,
    load: impl FnOnce(&Heap<'a>, i32, i32) -> Option<i32>,
) -> Flow {
    let array = cell(registers, op.b).get();
    match load(&machine.heap, array, element) {
        Some(value) => {
            cell(registers, op.a).set(value);
            Flow::Next
        }
        None => Flow::Stop(pc, Stop::NoElement),
    }
}

/// Stores register `c` as element `b`, plus the constant, of array `a`.
#[inline(always)]
pub(super) fn store<'a>(
    machine: &mut Machine<'a>,
    op: &Op,
    pc: usize,
    registers: &'a Window,
    store: impl FnOnce(&mut Heap<'a>, i32, i32, i32) -> Option<()>,
) -> Flow {
    let element = cell(registers, op.b).get().wrapping_add(op.imm);
    store_element(machine, op, pc, registers, element, store)
}

/// Stores register `c` as the element of array `a` that the constant names.
#[inline(always)]
pub(super) fn store_at<'a>(
    machine: &mut Machine<'a>,
    op: &Op,
    pc: usize,
    registers: &'a Window,
    store: impl FnOnce(&mut Heap<'a>, i32, i32, i32) -> Option<()>,
) -> Flow {
    store_element(machine, op, pc, registers, op.imm, store)
}

#[inline(always)]
fn store_element<'a>(
    machine: &mut Machine<'a>,
    op: &Op,
    pc: usize,
    registers: &'a Window,
    element: i32,
    store: impl FnOnce(&mut Heap<'a>, i32, i32, i32) -> Option<()>,
) -> Flow {
    let (array, value) = (cell(registers, op.a).get(), cell(registers, op.c).get());
    match store(&mut machine.heap, array, element, value) {
        Some(()) => Flow::Next,
        None => Flow::Stop(pc, Stop::NoElement),
    }
}

/// Branches onwards. What is skipped is given back, so there is nothing to check.
#[inline(always)]
pub(super) fn onward<'a>(
    machine: &mut Machine<'a>,
    op: &Op,
    pc: usize,
    registers: &'a Window,
    holds: impl FnOnce(&Op, &Window) -> bool,
) -> Flow {
    if holds(op, registers) {
        machine.credit = machine.credit.wrapping_sub(op.cost());
        Flow::To(pc.wrapping_add_signed(op.distance()))
    } else {
        Flow::Next
    }
}

/// Branches back.
#[inline(always)]
pub(super) fn back<'a>(
    machine: &mut Machine<'a>,
    op: &Op,
    pc: usize,
    registers: &'a Window,
    holds: impl FnOnce(&Op, &Window) -> bool,
) -> Flow {
    if holds(op, registers) {
        machine.charge(op.cost(), pc.wrapping_add_signed(op.distance()))
    } else {
        Flow::Next
    }
}

/// Goes back to a branch that leaves a loop, and past it where it would not be taken.
#[inline(always)]
pub(super) fn again<'a>(
    machine: &mut Machine<'a>,
    op: &Op,
    pc: usize,
    registers: &'a Window,
    stays: impl FnOnce(&Op, &Window) -> bool,
) -> Flow {
    // The condition first: where the slice ends, the branch itself finds it out again.
    let stays = stays(op, registers);
    let target = pc.wrapping_add_signed(op.distance());
    match machine.charge(op.cost(), target) {
        Flow::To(_) if stays => Flow::To(target.wrapping_add(1)),
        flow => flow,
    }
}

/// Does what only this op does.
#[inline(always)]
pub(super) fn control<'a>(
    machine: &mut Machine<'a>,
    op: &Op,
    pc: usize,
    _: &'a Window,
    perform: impl FnOnce(&mut Machine<'a>, &Op, usize) -> Flow,
) -> Flow {
    perform(machine, op, pc)
}

impl<'a> Machine<'a> {
    /// Tells why the op at which the slice ended found no element.
    #[cold]
    pub(super) fn fault(&self) -> TrapKind {
        let op = self.program.ops.get(self.pc).copied().unwrap_or_default();
        let sum = |register| self.register(register).wrapping_add(op.imm);
        let (array, element) = match op.kind {
            OpKind::LoadByteAt | OpKind::LoadByteUnsignedAt => (op.b, op.imm),
            OpKind::StoreByteAt => (op.a, op.imm),
            OpKind::StoreByte | OpKind::StoreShort | OpKind::StoreInt => (op.a, sum(op.b)),
            _ => (op.b, sum(op.c)),
        };
        self.heap.fault(self.register(array), element)
    }

    #[inline(always)]
    fn charge(&mut self, cost: i32, target: usize) -> Flow {
        self.credit = self.credit.wrapping_sub(cost);
        if self.credit < 0 {
            return Flow::Stop(target, Stop::Pause);
        }
        Flow::To(target)
    }

    #[inline(always)]
    pub(super) fn go(&mut self, op: &Op, pc: usize) -> Flow {
        // As wide as a pointer at least, on every target the crate builds for.
        self.charge(op.goto_cost(), pc.wrapping_add_signed(op.imm as isize))
    }

    #[inline(always)]
    pub(super) fn table_switch(&mut self, op: &Op, pc: usize) -> Flow {
        self.switch(op, pc, |default, cases, key| {
            // A key below the lowest wraps to a number that is not below the count of cases: the
            // highest key is an `int` too, so the way round from it to the lowest is longer than
            // the table.
            let distance = key.wrapping_sub(default.key).cast_unsigned();
            cases.get(index(distance))
        })
    }

    #[inline(always)]
    pub(super) fn lookup_switch(&mut self, op: &Op, pc: usize) -> Flow {
        self.switch(op, pc, |_, cases, key| {
            let found = cases.binary_search_by_key(&key, |case| case.key).ok()?;
            cases.get(found)
        })
    }

    #[inline(always)]
    fn switch(
        &mut self,
        op: &Op,
        pc: usize,
        find: impl for<'s> FnOnce(SwitchCase, &'s [SwitchCase], i32) -> Option<&'s SwitchCase>,
    ) -> Flow {
        let rows = self.program.switches.get(index(op.imm.cast_unsigned())..);
        let Some((default, behind)) = rows.and_then(<[_]>::split_first) else {
            return Flow::Stop(pc, Stop::Trap(UNVERIFIED));
        };
        let cases = behind.get(..usize::from(op.half())).unwrap_or_default();
        let case = *find(*default, cases, self.register(op.a)).unwrap_or(default);
        self.charge(case.cost, index(case.target))
    }

    /// Calls a method whose arguments lie from register `a` on; they become its first registers.
    ///
    /// Where the frame finds no room nothing has changed, so the trap is that of the call.
    #[inline(always)]
    pub(super) fn call(&mut self, op: &Op, pc: usize) -> Flow {
        let id = index(op.imm.cast_unsigned());
        let program = self.program;
        let Some(callee) = program.methods.get(id) else {
            return Flow::Stop(pc, Stop::Trap(UNVERIFIED));
        };
        let base = self.base.wrapping_add(usize::from(op.a));
        let (Some(registers), Some(frame)) =
            (window(self.slots, base), self.frames.get_mut(self.depth))
        else {
            return Flow::Stop(pc, Stop::Trap(TrapKind::StackOverflowError));
        };
        let executed = i32::from(op.half());
        *frame = Frame {
            method: MethodId(self.method as u16),
            // Indices of slices that lie in memory together, of elements larger than a byte.
            op: pc.wrapping_add(1) as u32,
            base: self.base as u32,
            limit: self.code.len() as u32,
            span: self.span,
            resumed: executed.wrapping_sub(self.span),
        };
        clear(registers, callee);
        let left = self.credit.wrapping_add(self.span).wrapping_sub(executed);
        self.span = callee.span.into();
        self.credit = left.wrapping_sub(self.span);
        self.depth = self.depth.wrapping_add(1);
        self.base = base;
        self.method = id;
        self.registers = registers;
        self.code = program.ops.get(..index(callee.limit)).unwrap_or_default();
        let entry = index(callee.entry);
        if self.credit < 0 {
            return Flow::Stop(entry, Stop::Pause);
        }
        Flow::Enter(entry)
    }

    /// Returns nothing.
    #[inline(always)]
    pub(super) fn leave(&mut self, op: &Op, pc: usize) -> Flow {
        self.back_to_caller(op, pc, Stop::Returned)
    }

    /// Returns the value of register `a`, to where the caller's first argument lay.
    #[inline(always)]
    pub(super) fn leave_with(&mut self, op: &Op, pc: usize) -> Flow {
        let value = self.register(op.a);
        cell(self.registers, 0).set(value);
        self.back_to_caller(op, pc, Stop::ReturnedValue)
    }

    #[inline(always)]
    fn back_to_caller(&mut self, op: &Op, pc: usize, outermost: Stop) -> Flow {
        let depth = self.depth.wrapping_sub(1);
        if depth == 0 {
            return Flow::Stop(pc, outermost);
        }
        let Some(&caller) = self.frames.get(depth) else {
            return Flow::Stop(pc, Stop::Trap(UNVERIFIED));
        };
        let base = index(caller.base);
        let Some(registers) = window(self.slots, base) else {
            return Flow::Stop(pc, Stop::Trap(UNVERIFIED));
        };
        let left = self
            .credit
            .wrapping_add(self.span)
            .wrapping_sub(i32::from(op.half()));
        self.span = caller.span;
        self.credit = left.wrapping_add(caller.resumed);
        self.depth = depth;
        self.base = base;
        self.method = caller.method.index();
        self.registers = registers;
        self.code = self
            .program
            .ops
            .get(..index(caller.limit))
            .unwrap_or_default();
        let target = index(caller.op);
        if self.credit < 0 {
            return Flow::Stop(target, Stop::Pause);
        }
        Flow::Enter(target)
    }
}

/// Moves the `c` last of `b` registers from `a` on below the others.
pub(super) fn rotate(op: &Op, registers: &Window) {
    let first = usize::from(op.a);
    let all = registers.get(first..first.wrapping_add(usize::from(op.b)));
    for _ in 0..op.c {
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
