//! The call stack: frames and slots in lent memory, and the one place that notices a broken promise.
//!
//! Every access to a slot goes through here and is checked against the lent memory, so code that its
//! verifier vouched for wrongly ends in [`TrapKind::Unverified`] and never outside the stack.

use crate::id::MethodId;
use crate::program::{LinkedMethod, NativeCall};
use crate::trap::TrapKind;

/// One call of a method: what is needed to go on with it where it stopped.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    method: MethodId,
    /// The op at which it stopped: for a caller, its call.
    op: u32,
    /// Index of local variable 0 among the slots. The operand stack follows the local variables, and
    /// the arguments of a call become the first local variables of the callee where they lie.
    base: u32,
}

/// The stack of calls of one processor, reused by every activation that runs there.
///
/// An activation is one call from outside and all that it calls in turn. Its whole state is a value
/// in here and nothing of it is on the host's stack, so it can stop at a native and go on later.
#[derive(Debug)]
pub struct CallStack<'s> {
    frames: &'s mut [Frame],
    slots: &'s mut [i32],
    activation: Activation,
}

/// How far an activation has come.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// There is none, or it has ended.
    #[default]
    Ended,
    /// It can run.
    Ready,
    /// It waits for what a native gives back.
    AtNative(NativeCall),
    /// The native that it waited for trapped.
    NativeTrapped(TrapKind),
}

#[derive(Copy, Clone, Debug, Default)]
struct Activation {
    phase: Phase,
    /// Count of frames in use; the last one is running.
    depth: usize,
    /// Index of the first free slot.
    top: usize,
    fuel: u64,
    executed: u64,
}

impl<'s> CallStack<'s> {
    /// Makes a call stack of the lent memory.
    ///
    /// There is room for as many nested calls as there are frames, if the slots last: see
    /// [`Program::slots_for`].
    ///
    /// [`Program::slots_for`]: crate::Program::slots_for
    #[must_use]
    pub fn new(frames: &'s mut [Frame], slots: &'s mut [i32]) -> Self {
        Self {
            frames,
            slots,
            activation: Activation::default(),
        }
    }

    /// Returns how many instructions of the class file the activation has executed.
    ///
    /// An instruction that trapped counts, except one for which there was no fuel. What natives
    /// charge does not count.
    #[must_use]
    pub const fn executed(&self) -> u64 {
        self.activation.executed
    }

    /// Returns how much fuel the activation has left.
    #[must_use]
    pub const fn fuel_left(&self) -> u64 {
        self.activation.fuel
    }

    /// Returns the arguments of the native that the activation waits for, none if it does not.
    #[must_use]
    pub fn native_arguments(&self) -> &[i32] {
        match self.activation.phase {
            Phase::AtNative(call) => self.arguments(call),
            Phase::Ended | Phase::Ready | Phase::NativeTrapped(_) => &[],
        }
    }

    /// Charges what a native costs beyond its one instruction, before it is performed.
    ///
    /// # Errors
    /// [`TrapKind::FuelExhausted`] where less is left: the call of the native then counts as not
    /// executed, the native must not be performed, and the trap is to be passed to
    /// [`CallStack::resume`].
    pub const fn charge(&mut self, extra_fuel: u64) -> Result<(), TrapKind> {
        match self.activation.fuel.checked_sub(extra_fuel) {
            Some(left) => {
                self.activation.fuel = left;
                Ok(())
            }
            None => {
                self.activation.fuel = self.activation.fuel.saturating_add(1);
                self.activation.executed = self.activation.executed.saturating_sub(1);
                Err(TrapKind::FuelExhausted)
            }
        }
    }

    /// Tells the activation what the native that it waits for gave back; a void native's value is
    /// ignored.
    ///
    /// Where it waits for none, it will trap with [`TrapKind::Unverified`].
    pub fn resume(&mut self, outcome: Result<i32, TrapKind>) {
        self.activation.phase = match self.return_from_native(outcome) {
            Ok(()) => Phase::Ready,
            Err(kind) => Phase::NativeTrapped(kind),
        };
    }

    fn return_from_native(&mut self, outcome: Result<i32, TrapKind>) -> Result<(), TrapKind> {
        let Phase::AtNative(call) = self.activation.phase else {
            return Err(TrapKind::Unverified);
        };
        let value = outcome?;
        let mut cursor = self.cursor();
        cursor.drop_values(call.slots())?;
        if call.has_result {
            cursor.push(value)?;
        }
        cursor.op = cursor.op.wrapping_add(1);
        let position = cursor.position();
        self.park(position, Phase::Ready);
        Ok(())
    }

    /// Begins an activation: one frame, with the receiver and these arguments as local variables.
    pub(crate) fn begin(
        &mut self,
        method: MethodId,
        linked: &LinkedMethod,
        receiver: Option<i32>,
        arguments: &[i32],
        fuel: u64,
    ) -> Result<(), TrapKind> {
        self.activation = Activation {
            fuel,
            ..Activation::default()
        };
        let mut cursor = self.cursor();
        for &argument in receiver.iter().chain(arguments) {
            cursor
                .push(argument)
                .map_err(|_| TrapKind::StackOverflowError)?;
        }
        if cursor.top != usize::from(linked.arguments) {
            return Err(TrapKind::Unverified);
        }
        cursor.enter(method, linked)?;
        cursor.op = linked.entry;
        let position = cursor.position();
        self.park(position, Phase::Ready);
        Ok(())
    }

    /// Waits for what a native gives back.
    pub(crate) const fn wait_for(&mut self, call: NativeCall) {
        self.activation.phase = Phase::AtNative(call);
    }

    /// Ends the activation where it stands.
    pub(crate) const fn end(&mut self) {
        self.activation.phase = Phase::Ended;
    }

    pub(crate) const fn phase(&self) -> Phase {
        self.activation.phase
    }

    fn arguments(&self, call: NativeCall) -> &[i32] {
        let start = self
            .activation
            .top
            .wrapping_sub(usize::from(call.arguments));
        self.slots.get(start..self.activation.top).unwrap_or(&[])
    }

    /// Returns the running method and the op at which it stopped.
    pub(crate) fn place(&self) -> (MethodId, u32) {
        let frame = innermost(self.frames, self.activation.depth).copied();
        let Frame { method, op, .. } = frame.unwrap_or_default();
        (method, op)
    }

    /// Takes the running call up where it stopped.
    pub(crate) fn cursor(&mut self) -> Cursor<'_> {
        let frame = innermost(self.frames, self.activation.depth).copied();
        let Frame { op, base, .. } = frame.unwrap_or_default();
        Cursor {
            op,
            fuel: self.activation.fuel,
            base: index(base),
            top: self.activation.top,
            depth: self.activation.depth,
            frames: self.frames,
            slots: self.slots,
        }
    }

    /// Keeps where the running call stopped.
    pub(crate) fn park(&mut self, position: Position, phase: Phase) {
        let Position {
            depth,
            top,
            op,
            fuel,
        } = position;
        if let Some(frame) = innermost_mut(self.frames, depth) {
            frame.op = op;
        }
        let spent = self.activation.fuel.saturating_sub(fuel);
        let executed = self.activation.executed.saturating_add(spent);
        self.activation = Activation {
            phase,
            depth,
            top,
            fuel,
            executed,
        };
    }
}

/// Where a cursor stands, without what it borrows.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Position {
    depth: usize,
    top: usize,
    op: u32,
    fuel: u64,
}

/// A running call: the innermost frame, its local variables and its operand stack.
///
/// It is a local variable of the dispatch loop, so that its numbers live in registers.
#[derive(Debug)]
pub(crate) struct Cursor<'c> {
    /// The op that runs; it changes when the op is done, so a trap finds its own.
    pub(crate) op: u32,
    /// Instructions that may still execute.
    pub(crate) fuel: u64,
    base: usize,
    top: usize,
    depth: usize,
    frames: &'c mut [Frame],
    slots: &'c mut [i32],
}

impl Cursor<'_> {
    pub(crate) const fn position(&self) -> Position {
        Position {
            depth: self.depth,
            top: self.top,
            op: self.op,
            fuel: self.fuel,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, value: i32) -> Result<(), TrapKind> {
        let slot = self.slots.get_mut(self.top).ok_or(TrapKind::Unverified)?;
        *slot = value;
        self.top = self.top.wrapping_add(1);
        Ok(())
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Result<i32, TrapKind> {
        // Below slot 0 the index wraps to one that no slice has.
        let top = self.top.wrapping_sub(1);
        let value = *self.slots.get(top).ok_or(TrapKind::Unverified)?;
        self.top = top;
        Ok(value)
    }

    #[inline]
    pub(crate) fn drop_values(&mut self, count: usize) -> Result<(), TrapKind> {
        self.top = self.top.checked_sub(count).ok_or(TrapKind::Unverified)?;
        Ok(())
    }

    /// Replaces the top value.
    #[inline]
    pub(crate) fn unary(&mut self, compute: impl FnOnce(i32) -> i32) -> Result<(), TrapKind> {
        let top = self.top.wrapping_sub(1);
        let value = self.slots.get_mut(top).ok_or(TrapKind::Unverified)?;
        *value = compute(*value);
        Ok(())
    }

    /// Replaces the two top values by what is computed from them, the top one being the second.
    #[inline]
    pub(crate) fn binary(&mut self, compute: impl FnOnce(i32, i32) -> i32) -> Result<(), TrapKind> {
        let second = self.pop()?;
        self.unary(|first| compute(first, second))
    }

    /// Pushes what lies `depth` values below the top, from 0 for the top itself.
    #[inline]
    pub(crate) fn pick(&mut self, depth: usize) -> Result<(), TrapKind> {
        let at = self.top.wrapping_sub(1).wrapping_sub(depth);
        let value = *self.slots.get(at).ok_or(TrapKind::Unverified)?;
        self.push(value)
    }

    /// Moves the `moved` top values below the `count - moved` under them, order kept.
    #[inline]
    pub(crate) fn rotate(&mut self, count: usize, moved: usize) -> Result<(), TrapKind> {
        let start = self.top.wrapping_sub(count);
        let values = self
            .slots
            .get_mut(start..self.top)
            .ok_or(TrapKind::Unverified)?;
        values.rotate_right(moved);
        Ok(())
    }

    #[inline]
    pub(crate) fn local(&self, local: u16) -> Result<i32, TrapKind> {
        let slot = self.base.wrapping_add(usize::from(local));
        self.slots.get(slot).copied().ok_or(TrapKind::Unverified)
    }

    #[inline]
    pub(crate) fn local_mut(&mut self, local: u16) -> Result<&mut i32, TrapKind> {
        let slot = self.base.wrapping_add(usize::from(local));
        self.slots.get_mut(slot).ok_or(TrapKind::Unverified)
    }

    /// Returns the value below the arguments of a call: its receiver.
    #[inline]
    pub(crate) fn receiver(&self, arguments: usize) -> Result<i32, TrapKind> {
        let at = self.top.wrapping_sub(1).wrapping_sub(arguments);
        self.slots.get(at).copied().ok_or(TrapKind::Unverified)
    }

    /// Calls a method whose arguments lie on top; the caller's op stays that of the call.
    ///
    /// Where the frame finds no room nothing has changed, so the trap is that of the call.
    #[inline]
    pub(crate) fn enter(
        &mut self,
        method: MethodId,
        callee: &LinkedMethod,
    ) -> Result<(), TrapKind> {
        let arguments = usize::from(callee.arguments);
        let base = self
            .top
            .checked_sub(arguments)
            .ok_or(TrapKind::Unverified)?;
        let stack = base.wrapping_add(usize::from(callee.max_locals));
        let end = stack.wrapping_add(usize::from(callee.max_stack));
        if end > self.slots.len() {
            return Err(TrapKind::StackOverflowError);
        }
        let frame = self
            .frames
            .get_mut(self.depth)
            .ok_or(TrapKind::StackOverflowError)?;
        let stored_base = u32::try_from(base).map_err(|_| TrapKind::StackOverflowError)?;
        *frame = Frame {
            method,
            op: callee.entry,
            base: stored_base,
        };
        // What an earlier call left there, maybe one of another endpoint, is not for this one to see,
        // whatever its verifier missed.
        let locals = self
            .slots
            .get_mut(self.top..stack)
            .ok_or(TrapKind::Unverified)?;
        locals.fill(0);
        if let Some(caller) = innermost_mut(self.frames, self.depth) {
            caller.op = self.op;
        }
        self.depth = self.depth.wrapping_add(1);
        self.base = base;
        self.top = stack;
        Ok(())
    }

    /// Ends the running call and returns the op at which its caller made it, if it has a caller.
    #[inline]
    pub(crate) fn leave(&mut self) -> Result<Option<u32>, TrapKind> {
        self.top = self.base;
        self.depth = self.depth.checked_sub(1).ok_or(TrapKind::Unverified)?;
        if self.depth == 0 {
            return Ok(None);
        }
        let caller = innermost(self.frames, self.depth).ok_or(TrapKind::Unverified)?;
        self.base = index(caller.base);
        Ok(Some(caller.op))
    }

    /// Returns the index of the first free slot.
    pub(crate) const fn top(&self) -> usize {
        self.top
    }

    /// Returns the running method and the count of slots its frame has in use.
    pub(crate) fn running(&self) -> Option<(MethodId, usize)> {
        let frame = innermost(self.frames, self.depth)?;
        Some((frame.method, self.top.checked_sub(self.base)?))
    }
}

/// Returns the last of so many frames.
#[inline]
fn innermost(frames: &[Frame], depth: usize) -> Option<&Frame> {
    frames.get(depth.checked_sub(1)?)
}

#[inline]
fn innermost_mut(frames: &mut [Frame], depth: usize) -> Option<&mut Frame> {
    frames.get_mut(depth.checked_sub(1)?)
}

/// Returns a slot's number as an index.
#[inline]
const fn index(slot: u32) -> usize {
    // `usize` has at least 32 bits on every target the crate builds for; `From` is not offered.
    slot as usize
}
