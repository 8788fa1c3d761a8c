//! What programs do with the windows of `[[window]]`, without a VI: what they ask for, and what they learn.

use nic_core::event::ReadStatus;
use nic_core::lmmc::ProtectionFault;
use nic_core::time::SimDuration;

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
    /// The bytes of a window of the endpoint's own memory.
    Loaded {
        /// The number that the program gave the action.
        ticket: u64,
        /// The bytes.
        payload: &'a [u8],
    },
    /// The watch is set, or the watches of the window are removed.
    Watching {
        /// The number that the program gave the action.
        ticket: u64,
    },
    /// A peer has written to watched bytes. All writes before the program takes the event lead to one event.
    Event {
        /// The number of the window.
        window: i32,
        /// The offset of the watched bytes.
        offset: u32,
        /// The number of watched bytes.
        length: u32,
    },
    /// No event is there, or none has come in the time for which the program was ready to wait.
    NoEvent,
    /// A word has another value, or the time to wait for it is over.
    Word {
        /// The number that the program gave the action.
        ticket: u64,
        /// The value of the four bytes, the lowest first; `None` if the time is over.
        value: Option<u32>,
    },
    /// The process may not access its page so, and nothing has happened (LMMC).
    ProtectionFault {
        /// The number that the program gave the action.
        ticket: u64,
        /// What is wrong with the access.
        fault: ProtectionFault,
    },
    /// The endpoint may not do what the program asked for, and nothing has happened: it has no such window, the bytes
    /// lie outside of the window or of the buffer area, or too much is under way.
    NotPossible {
        /// The number that the program gave the action.
        ticket: u64,
    },
}

/// What a process asks for at a window, or at a page. A range is the number of a window or page, an offset and a length.
#[derive(Clone, Debug)]
pub(crate) enum WindowAsked {
    /// Reads bytes of a peer's window into the buffer area.
    Read {
        ticket: u64,
        range: (i32, u32, u32),
        into: u32,
    },
    /// Writes bytes to a peer's window.
    Store {
        ticket: u64,
        window: i32,
        offset: u32,
        bytes: Vec<u8>,
    },
    /// The processor has written bytes to a peer's window, and they leave.
    Leave {
        ticket: u64,
        window: i32,
        offset: u32,
        bytes: Vec<u8>,
    },
    /// Reads bytes of a window of the endpoint's own memory.
    Load { ticket: u64, range: (i32, u32, u32) },
    /// Sets a watch, or removes the watches of a window if the range is empty.
    Watch { ticket: u64, range: (i32, u32, u32) },
    /// Waits until a word of a window of the endpoint's own memory has another value than `was`.
    WaitWord {
        ticket: u64,
        window: i32,
        offset: u32,
        was: u32,
        within: Option<SimDuration>,
    },
    /// Takes the oldest event, and waits for one for this long: not at all, or for ever (`Some(None)`).
    Event { within: Option<Option<SimDuration>> },
}
