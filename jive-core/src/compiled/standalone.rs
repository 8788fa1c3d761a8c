//! Calls of printed code without an interpreter, where an exit ends the call with a trap.
//!
//! The exits of such code are rows of a table: why an op may not go on, and the instruction that it stands for. No op, no
//! register and no frame is stored, so that the program needs neither the ops nor a call stack.

use core::ops::{Deref, DerefMut};

use crate::frame::{Activation, CallStack};
use crate::heap::Lifetime;
use crate::id::{MethodId, Pc};
use crate::instance::{Instance, Natives};
use crate::program::Program;
use crate::trap::{Trap, TrapKind};

use super::outside::Outside;
use super::run::{CALL, FUEL_MAX, Outcome};

/// The printed code of a class that runs without an interpreter.
pub trait StandaloneCode {
    /// How many calls can be nested.
    const NESTED_CALLS: usize;

    /// Returns the program, which has fields and initializers, and neither ops nor methods.
    fn program() -> &'static Program<'static>;

    /// Returns where and why methods stop.
    fn stops() -> &'static [Stop];

    /// Runs a method from its beginning, and returns whether it has a result as well. Returns `None` if there is no such
    /// method, or if it takes other arguments.
    fn enter<N: Natives>(
        method: MethodId,
        arguments: &[i32],
        run: &mut StandaloneRun<'_, N>,
        heap: &mut [u8],
        fields: &mut [i32],
        fuel: isize,
    ) -> Option<(Outcome, bool)>;
}

/// Why a method stops, which together with a value of the op decides the kind of the trap.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The fuel may not suffice.
    Fuel,
    /// Too many calls are nested.
    Depth,
    /// The value is a null reference, or the index is outside of the array that it names.
    Element,
    /// A division by zero.
    Division,
    /// The value is a negative length of a new array, or the heap has no room for it.
    Length,
    /// The reference names an array of the call, and a field must not keep it.
    Escape,
    /// A native trapped, or the fuel does not suffice for what it costs.
    Native,
}

/// A row of the table of stops.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    method: u16,
    pc: u16,
    executed: u16,
    cause: Cause,
}

impl Stop {
    /// Returns a row: the instruction, how many instructions of its method a straight path has executed then, and why.
    #[must_use]
    pub const fn new(method: u16, pc: u16, executed: u16, cause: Cause) -> Stop {
        Stop {
            method,
            pc,
            executed,
            cause,
        }
    }
}

/// A call that runs in printed code without an interpreter.
#[derive(Debug)]
pub struct StandaloneRun<'r, N> {
    outside: Outside<'r, N>,
    stops: &'static [Stop],
    /// Where the innermost method stopped and the fuel that it had left, once it has.
    stopped: Option<(Trap, usize)>,
}

impl<'r, N> Deref for StandaloneRun<'r, N> {
    type Target = Outside<'r, N>;

    #[inline(always)]
    fn deref(&self) -> &Outside<'r, N> {
        &self.outside
    }
}

impl<N> DerefMut for StandaloneRun<'_, N> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.outside
    }
}

impl<N: Natives> StandaloneRun<'_, N> {
    /// Stops a method for the reason of a row of the table.
    ///
    /// `entry_fuel` is the fuel that the method would have had at its first instruction, if it had run straight to the
    /// op.
    #[cold]
    #[inline(never)]
    pub fn stop(&mut self, row: u16, value: i32, entry_fuel: isize) -> Outcome {
        let unknown = Stop::new(0, 0, 0, Cause::Fuel);
        let stop = self.stops.get(usize::from(row)).copied();
        let Stop {
            method,
            pc,
            executed,
            cause,
        } = stop.unwrap_or(unknown);
        let trapped = self.outside.trapped;
        let kind = match cause {
            Cause::Fuel => TrapKind::FuelExhausted,
            Cause::Depth => TrapKind::StackOverflowError,
            Cause::Element if value == 0 => TrapKind::NullPointerException,
            Cause::Element => TrapKind::ArrayIndexOutOfBoundsException,
            Cause::Division => TrapKind::ArithmeticException,
            Cause::Length if value < 0 => TrapKind::NegativeArraySizeException,
            Cause::Length => TrapKind::OutOfMemoryError,
            Cause::Escape => TrapKind::TransientEscape,
            Cause::Native => trapped.unwrap_or(TrapKind::FuelExhausted),
        };
        // A native that cannot be paid has not been executed.
        let unpaid = cause == Cause::Native && trapped.is_none();
        let executed = usize::from(executed).saturating_sub(unpaid.into());
        let trap = Trap {
            kind,
            method: MethodId(method),
            pc: Pc(pc),
        };
        let fuel = entry_fuel.cast_unsigned().saturating_sub(executed);
        self.stopped = Some((trap, fuel));
        (-1, 0)
    }
}

/// Makes a call from outside in printed code, without an interpreter.
///
/// The call stack has no frames and no slots. It counts what the call executes.
///
/// # Errors
///
/// Returns the trap in which the call ended. It is [`TrapKind::Unverified`] if there is no such method, or if it takes
/// other arguments.
#[inline]
pub fn call_standalone<C: StandaloneCode, N: Natives>(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    method: MethodId,
    arguments: &[i32],
    fuel: u64,
    lifetime: Lifetime,
    natives: &mut N,
) -> Result<Option<i32>, Trap> {
    instance.heap.end_call();
    let floor = match lifetime {
        Lifetime::PerCall => Some(instance.heap.bounds().top()),
        Lifetime::Persistent => None,
    };
    call_above_standalone::<C, N>(instance, stack, method, arguments, fuel, floor, natives)
}

/// Makes a call as [`call_standalone`] does. The arrays from `floor` on are freed at its end.
///
/// # Errors
///
/// Returns the trap in which the call ended.
pub(super) fn call_above_standalone<C: StandaloneCode, N: Natives>(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    method: MethodId,
    arguments: &[i32],
    fuel: u64,
    floor: Option<u32>,
    natives: &mut N,
) -> Result<Option<i32>, Trap> {
    let mut bounds = instance.heap.bounds();
    if let Some(floor) = floor {
        bounds = bounds.above(floor);
    }
    let given = fuel.min(FUEL_MAX as u64);
    let reserve = fuel.wrapping_sub(given);
    let (memory, _) = instance.heap.split();
    let room = C::NESTED_CALLS.saturating_mul(CALL);
    let mut run = StandaloneRun {
        outside: Outside::new(natives, room, bounds, given),
        stops: C::stops(),
        stopped: None,
    };
    // The cast is lossless, because `FUEL_MAX` is a positive `isize`.
    let fuel_given = given as isize;
    let fields = &mut *instance.fields;
    let entered = match room {
        0 => Err(TrapKind::StackOverflowError),
        _ => C::enter(method, arguments, &mut run, memory, fields, fuel_given)
            .ok_or(TrapKind::Unverified),
    };
    let (bounds, extra, stopped) = (run.outside.bounds, run.outside.extra, run.stopped);
    instance.heap.end_call_with(bounds);
    let refused = |kind| Trap {
        kind,
        method,
        pc: Pc(0),
    };
    let (outcome, left) = match entered {
        Err(kind) => (Err(refused(kind)), given),
        Ok(((rest, value), has_result)) => match u64::try_from(rest) {
            Ok(rest) => (Ok(has_result.then_some(value)), rest),
            // A method that has left has recorded where.
            Err(_) => match stopped {
                Some((trap, fuel)) => (Err(trap), fuel as u64),
                None => (Err(refused(TrapKind::Unverified)), 0),
            },
        },
    };
    stack.activation = Activation {
        fuel: reserve.wrapping_add(left),
        granted: fuel.wrapping_sub(extra),
        ..Activation::default()
    };
    outcome
}
