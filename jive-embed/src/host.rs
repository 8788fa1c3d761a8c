//! Natives that the embedding program offers, and how their own errors come back from a call.

use std::convert::Infallible;

use jive_core::{Heap, NativeId, Natives, TrapKind};

/// Performs the natives of an instance. Each [`Natives`] is a `Host` whose natives only trap.
///
/// ```
/// use jive_embed::{Heap, Host, HostError, NativeId};
///
/// /// A disk that is full after a few blocks.
/// struct Disk(u32);
///
/// #[derive(Debug, PartialEq, thiserror::Error)]
/// #[error("the disk is full")]
/// struct Full;
///
/// impl Host for Disk {
///     type Error = Full;
///
///     fn call(&mut self, _: NativeId, _: &[i32], _: &mut Heap<'_>) -> Result<i32, HostError<Full>> {
///         self.0 = self.0.checked_sub(1).ok_or(HostError::Failed(Full))?;
///         Ok(0)
///     }
/// }
/// ```
pub trait Host {
    /// The error of the natives, which [`CallError::Host`](crate::CallError::Host) gives back unchanged.
    type Error;

    /// Performs a native. An array among the arguments is a reference into the heap. A void native returns any value.
    ///
    /// # Errors
    ///
    /// An error ends the call of the class. Either the whole native was performed, or nothing of it.
    fn call(
        &mut self,
        native: NativeId,
        arguments: &[i32],
        heap: &mut Heap<'_>,
    ) -> Result<i32, HostError<Self::Error>>;

    /// Returns the fuel that a native costs beyond its one instruction.
    fn extra_fuel(&self, _native: NativeId) -> u64 {
        0
    }
}

/// Why a native ended the call.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum HostError<E> {
    /// The class called the native wrongly, which is a trap at the call instruction.
    Trap(TrapKind),
    /// The native failed for a reason of its own.
    Failed(E),
}

impl<E> From<TrapKind> for HostError<E> {
    fn from(kind: TrapKind) -> Self {
        Self::Trap(kind)
    }
}

impl<N: Natives> Host for N {
    type Error = Infallible;

    fn call(
        &mut self,
        native: NativeId,
        arguments: &[i32],
        heap: &mut Heap<'_>,
    ) -> Result<i32, HostError<Infallible>> {
        Ok(Natives::call(self, native, arguments, heap)?)
    }

    fn extra_fuel(&self, native: NativeId) -> u64 {
        Natives::extra_fuel(self, native)
    }
}

/// Performs a host's natives for the interpreter, which knows traps alone, and keeps the error of a native that failed.
pub(crate) struct Performing<'h, H: Host> {
    pub(crate) host: &'h mut H,
    pub(crate) failed: Option<H::Error>,
}

impl<'h, H: Host> Performing<'h, H> {
    pub(crate) const fn new(host: &'h mut H) -> Self {
        Self { host, failed: None }
    }
}

impl<H: Host> Natives for Performing<'_, H> {
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        self.host.call(id, args, heap).map_err(|error| match error {
            HostError::Trap(kind) => kind,
            HostError::Failed(error) => {
                self.failed = Some(error);
                TrapKind::ProtectionFault
            }
        })
    }

    fn extra_fuel(&self, id: NativeId) -> u64 {
        self.host.extra_fuel(id)
    }
}
