//! Resource limits of an instance.

/// Resource limits of an instance.
///
/// ```
/// use jive_embed::Limits;
///
/// let limits = Limits::default().with_fuel(10_000);
/// assert_eq!(limits.heap_bytes, 64 << 10);
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Size of the instance's heap for arrays, in bytes. At most `i32::MAX`.
    pub heap_bytes: usize,
    /// Greatest depth of nested calls, including the call from the embedding program. At most `u16::MAX`.
    pub nested_calls: usize,
    /// Number of instructions that a call from the embedding program may execute, including the methods that it calls.
    pub fuel: u64,
}

impl Default for Limits {
    /// The default limits are a heap of 64 KiB, 32 nested calls, and a million instructions.
    fn default() -> Self {
        Self {
            heap_bytes: 64 << 10,
            nested_calls: 32,
            fuel: 1_000_000,
        }
    }
}

impl Limits {
    /// Returns the limits with another size of the heap, in bytes.
    #[must_use]
    pub const fn with_heap_bytes(self, heap_bytes: usize) -> Self {
        Self { heap_bytes, ..self }
    }

    /// Returns the limits with another depth of nested calls.
    #[must_use]
    pub const fn with_nested_calls(self, nested_calls: usize) -> Self {
        Self {
            nested_calls,
            ..self
        }
    }

    /// Returns the limits with other fuel for each call.
    #[must_use]
    pub const fn with_fuel(self, fuel: u64) -> Self {
        Self { fuel, ..self }
    }
}
