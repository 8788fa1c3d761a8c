//! Running ops: slices of a run, each bounded in fuel and in the host's stack.
//!
//! How fuel is kept exact although ops do not count it is told in `docs/linked-form.md`.

mod control;
#[cfg_attr(threaded, path = "threaded/mod.rs")]
#[cfg_attr(not(threaded), path = "looped.rs")]
mod dispatch;
mod machine;
mod run;
#[cfg(test)]
mod tests;
mod work;

use crate::frame::{Activation, Calls};
use crate::heap::{Extent, Heap};
use crate::op::Op;
use crate::program::{LinkedMethod, Program, SLICE_OPS, index};
use crate::registers::Window;
use crate::trap::TrapKind;

use dispatch::dispatch;
use machine::Machine;

/// Instructions that a slice may execute beyond a straight way through its ops.
///
/// With [`SLICE_OPS`] it bounds how deep the host's stack gets where the compiler does not make jumps
/// of the calls from op to op.
const SLICE_INSTRUCTIONS: u64 = 1024;

/// Why a slice ended, as one byte that a register carries.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Fuel or the slice's share of it may run out, or the slice's ops have.
    Pause,
    /// The outermost call returned nothing.
    Returned,
    /// The outermost call returned a value.
    ReturnedValue,
    /// A native is to be performed.
    Native,
    /// An array has no such element, or there is no array.
    NoElement,
    /// The op trapped.
    Trap(TrapKind),
}

/// How a run ended.
pub(crate) struct Ended {
    pub(crate) stop: Stop,
    /// What the outermost call returned.
    pub(crate) value: i32,
    /// How far the heap is filled.
    pub(crate) extent: Extent,
}

impl Ended {
    /// The activation trapped without running.
    pub(crate) const fn trapped(kind: TrapKind, heap: &Heap<'_>) -> Self {
        Self {
            stop: Stop::Trap(kind),
            value: 0,
            extent: heap.extent(),
        }
    }
}

impl<'a> Machine<'a> {
    /// Runs an activation, of whose calls the machine was made, until the outermost call returns, traps or needs a
    /// native; never pauses.
    #[inline(always)]
    pub(crate) fn run(&mut self, to: &mut Activation) -> Ended {
        self.pc = to.op;
        let reserve = match self.noted_share(to) {
            Some((share, registers)) => self.run_share(share, registers),
            // As if it had paused, with nothing but a reserve.
            None => self.run_on(to.potential()),
        };
        self.finish(reserve, to)
    }

    /// Returns what the first slice runs on where code may be cut off as it was when that was decided last.
    #[inline(always)]
    fn noted_share(&self, to: &Activation) -> Option<(Share<'a>, &'a Window)> {
        let potential = to.potential();
        if potential < to.span.into() {
            return None;
        }
        // Where the code ends at the native, the slice ends at once.
        let share = share(self.program, index(to.limit), to.span, potential)?;
        Some((share, self.registers()?))
    }

    /// Runs the first slice of a method that was just entered, and returns what is left for later ones.
    #[inline(always)]
    pub(crate) fn begin(&mut self, share: Share<'a>, entry: usize, registers: &'a Window) -> u64 {
        (self.credit, self.span) = (share.credit, share.span.into());
        dispatch(self, share.code, entry, registers);
        share.reserve
    }

    /// Returns what the outermost call returned, if it has.
    #[inline(always)]
    pub(crate) const fn returned(&self) -> Option<i32> {
        match self.stop {
            Stop::ReturnedValue => Some(self.value),
            _ => None,
        }
    }

    /// Returns the fuel that is left when the outermost call has returned.
    #[inline(always)]
    pub(crate) fn fuel_left(&self, reserve: u64) -> u64 {
        // The share that a slice is given is never overdrawn.
        reserve.wrapping_add_signed(self.credit.into())
    }

    /// Runs slice after slice until the run stops. Records in `to` how far it came, but not the place of a call that
    /// has returned. Where it traps, the index there tells the instruction: the last of as many.
    #[inline(always)]
    pub(crate) fn finish(&mut self, mut reserve: u64, to: &mut Activation) -> Ended {
        // First, and apart from the others: what calls that handle packets stop for.
        if self.stop != Stop::Native && matches!(self.stop, Stop::Pause | Stop::NoElement) {
            reserve = self.run_on(reserve);
        }
        let potential = self.potential(reserve);
        let end = self.program.ends.get(index(self.pc)).copied().unwrap_or(0);
        (to.index, to.fuel) = match self.stop {
            Stop::Returned | Stop::ReturnedValue => (0, self.fuel_left(reserve)),
            // The instruction that the potential does not reach; one of the method, so below 2¹⁶.
            Stop::Trap(TrapKind::FuelExhausted) => (potential.saturating_add(1) as u16, 0),
            _ => (end, potential.saturating_sub(end.into())),
        };
        to.calls = Calls {
            depth: self.depth,
            base: self.base,
            method: self.method,
        };
        to.op = self.pc;
        // Exact: counts of a method's instructions.
        (to.limit, to.span) = (self.limit, self.span as u16);
        Ended {
            stop: self.stop,
            value: self.value,
            extent: self.extent(),
        }
    }

    /// Goes on where a slice ended, slice after slice, until the run stops; returns what is left of the reserve.
    ///
    /// Apart from the first slice, which is the last one as a rule.
    #[inline(never)]
    fn run_on(&mut self, mut reserve: u64) -> u64 {
        while self.stop == Stop::Pause {
            match self.next_share(self.potential(reserve)) {
                Ok((share, registers)) => reserve = self.run_share(share, registers),
                Err(kind) => self.stop = Stop::Trap(kind),
            }
        }
        if self.stop == Stop::NoElement {
            self.stop = Stop::Trap(self.fault());
        }
        reserve
    }

    /// Runs a slice; returns what is left of the potential for later ones.
    #[inline]
    fn run_share(&mut self, share: Share<'a>, registers: &'a Window) -> u64 {
        (self.credit, self.span) = (share.credit, share.span.into());
        dispatch(self, share.code, index(self.pc), registers);
        share.reserve
    }

    /// Returns what the next slice runs on.
    fn next_share(&self, potential: u64) -> Result<(Share<'a>, &'a Window), TrapKind> {
        let program = self.program;
        let method = program.methods.get(index(self.method));
        let (Some(method), Some(registers)) = (method, self.registers()) else {
            return Err(TrapKind::Unverified);
        };
        let (limit, span) = cut_off(program, method, index(self.pc), potential)?;
        let share = share(program, limit, span, potential).ok_or(TrapKind::Unverified)?;
        Ok((share, registers))
    }

    /// Returns how far the heap is filled.
    pub(crate) const fn extent(&self) -> Extent {
        self.heap.extent()
    }
}

/// Returns what the first slice of a method runs on, if fuel lasts to where its code is cut off.
#[inline(always)]
pub(crate) fn share_from_entry<'a>(
    program: &Program<'a>,
    method: &LinkedMethod,
    fuel: u64,
) -> Option<Share<'a>> {
    if method.entry >= method.limit || fuel < method.span.into() {
        return None;
    }
    share(program, index(method.limit), method.span, fuel)
}

/// What a slice runs on.
pub(crate) struct Share<'a> {
    /// The code, cut off where fuel or the slice would run out on a straight way.
    code: &'a [Op],
    /// How many instructions have been executed there.
    span: u16,
    /// What the slice has beyond them.
    credit: i32,
    /// What is left for later slices.
    reserve: u64,
}

/// Returns the share of a potential for code that is cut off at a limit, where the span is not more.
#[inline(always)]
fn share<'a>(program: &Program<'a>, limit: usize, span: u16, potential: u64) -> Option<Share<'a>> {
    let spare = potential.wrapping_sub(span.into());
    let credit = spare.min(SLICE_INSTRUCTIONS);
    Some(Share {
        code: program.ops.get(..limit)?,
        span,
        // At most `SLICE_INSTRUCTIONS`.
        credit: credit as i32,
        reserve: spare.wrapping_sub(credit),
    })
}

/// Returns the index behind the last op that may run on a straight way from here, and how many
/// instructions have been executed there.
fn cut_off(
    program: &Program<'_>,
    method: &LinkedMethod,
    pc: usize,
    potential: u64,
) -> Result<(usize, u16), TrapKind> {
    if pc < index(method.entry) {
        return Err(TrapKind::Unverified);
    }
    let limit = index(method.end).min(pc.saturating_add(SLICE_OPS));
    let ends = program.ends.get(pc..limit).unwrap_or_default();
    let &span = ends.last().ok_or(TrapKind::Unverified)?;
    if potential >= span.into() {
        return Ok((limit, span));
    }
    let affordable = ends.partition_point(|&end| u64::from(end) <= potential);
    match affordable.checked_sub(1).and_then(|last| ends.get(last)) {
        Some(&end) => Ok((pc.wrapping_add(affordable), end)),
        None => Err(TrapKind::FuelExhausted),
    }
}
