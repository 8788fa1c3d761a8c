//! Arguments and results of natives, as the trace shows them.

/// An argument or the result of a native, in the form that the trace shows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NativeArg {
    /// An integer.
    Int(i32),
    /// The null reference.
    Null,
    /// An array, which the trace shows as `byte[4096]`.
    Array {
        /// Name of the array's element type in Java.
        element: &'static str,
        /// The array's length in elements.
        length: u32,
    },
}
