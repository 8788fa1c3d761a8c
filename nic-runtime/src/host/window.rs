//! What programs do with the windows of `[[window]]`, without a VI: their actions, and what they learn.

use nic_core::event::ReadStatus;

/// What a program learns of a window (remote memory).
#[derive(Copy, Clone, Debug)]
pub enum WindowNews<'a> {
    /// A read has ended.
    Read {
        /// The number that the program gave the action.
        ticket: u64,
        /// How it ended.
        status: ReadStatus,
        /// The bytes, if they came.
        payload: &'a [u8],
    },
    /// The endpoint may not do what the program asked for, and nothing has happened: it has no such window, the bytes
    /// lie outside of the window or of the buffer area, or too much is under way.
    NotPossible {
        /// The number that the program gave the action.
        ticket: u64,
    },
}

/// What a process asks for at a window.
#[derive(Clone, Debug)]
pub(crate) enum WindowAsked {
    /// Reads `length` bytes of a peer's window into the buffer area.
    Read {
        ticket: u64,
        window: i32,
        offset: u32,
        length: u32,
        into: u32,
    },
}
