//! The state behind a handle.

use core::cell::{Cell, UnsafeCell};

use jive_core::{CallStack, Instance, LinkedClass, MethodId, Trap};
use jive_load::LoadError;

use crate::JiveStatus;
use crate::natives::JiveNative;

/// A loaded class with one instance of it, or the reason why the class was refused. It lies in the lent memory, and
/// ends when the caller uses that memory for something else.
#[derive(Debug)]
pub struct Jive {
    /// Whether a call runs. While it does, the natives that it calls must not reach the state.
    is_busy: Cell<bool>,
    state: UnsafeCell<State>,
}

#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one, in memory that fits the larger variant"
)]
pub(crate) enum State {
    Loaded(Loaded),
    Refused(LoadError),
}

#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) class: LinkedClass<'static>,
    pub(crate) instance: Instance<'static>,
    pub(crate) stack: CallStack<'static>,
    pub(crate) natives: &'static [JiveNative],
    /// Fuel of each call.
    pub(crate) fuel: u64,
    /// Fuel that the last call was given, and what it used of it.
    pub(crate) granted: u64,
    pub(crate) used: u64,
    pub(crate) trap: Option<Trap>,
    /// The method whose call ran out of fuel, if nothing has happened since.
    pub(crate) exhausted: Option<MethodId>,
}

impl Jive {
    pub(crate) const fn new(state: State) -> Jive {
        Jive {
            is_busy: Cell::new(false),
            state: UnsafeCell::new(state),
        }
    }

    /// Uses the state, unless a call runs.
    ///
    /// # Safety
    ///
    /// A pointer that is not null was made by `jive_load`, its memory is still lent, and no other thread uses it.
    pub(crate) unsafe fn with_state<R>(
        jive: *const Jive,
        run: impl FnOnce(&mut State) -> R,
    ) -> Result<R, JiveStatus> {
        if jive.is_null() {
            return Err(JiveStatus::Argument);
        }
        // SAFETY: The pointer is not null. The caller promises that a `Jive` is there. Shared references to it may
        // coexist: only the cells in it change.
        let jive = unsafe { &*jive };
        if jive.is_busy.replace(true) {
            return Err(JiveStatus::Busy);
        }
        // SAFETY: The flag was false, so no other reference to the state exists in this thread, and the caller promises
        // that no other thread uses it. The flag stays true until this reference has ended.
        let result = run(unsafe { &mut *jive.state.get() });
        jive.is_busy.set(false);
        Ok(result)
    }

    /// Uses the loaded class, if it was not refused and no call runs.
    ///
    /// # Safety
    ///
    /// As for [`Jive::with_state`].
    pub(crate) unsafe fn with<R>(
        jive: *const Jive,
        run: impl FnOnce(&mut Loaded) -> Result<R, JiveStatus>,
    ) -> Result<R, JiveStatus> {
        // SAFETY: The caller promises it.
        unsafe {
            Jive::with_state(jive, |state| match state {
                State::Loaded(loaded) => run(loaded),
                State::Refused(_) => Err(JiveStatus::Refused),
            })
        }?
    }
}

/// Returns the status of a result without a value.
pub(crate) fn status(result: Result<(), JiveStatus>) -> JiveStatus {
    match result {
        Ok(()) => JiveStatus::Ok,
        Err(status) => status,
    }
}
