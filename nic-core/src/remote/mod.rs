//! Remote memory: windows that a peer writes, rings with lazy pointers, and watches that notice writes (S5-07 to S5-09,
//! S5-14).
//!
//! A *window* is a range of a node's memory that one peer may write. Writes of one writer to a window arrive in the
//! order in which they were made. A protocol over rings needs only the order of writes from the network, so it runs on
//! any [`RemoteMemory`] that keeps this order.
//!
//! A scenario can give an endpoint windows too. An endpoint's applet names its windows by number ([`WindowRights`]).

mod event;
mod rights;
mod ring;
mod watch;
mod window;

pub use event::{ReadStatus, RemoteEvent, WindowName, WriteHow};
pub use rights::{OwnWindow, PeerWindow, READS_MAX, WindowRights};
pub use ring::{RING_POINTER_BYTES, RingError, RingLayout, RingReader, RingWriter};
pub use watch::{EventQueue, WATCHES_MAX, Watch, WatchError, WatchId, Watches};
pub use window::{WindowError, WindowId, Windows};

/// Memory of other nodes that a node can write.
pub trait RemoteMemory {
    /// Writes bytes at an offset of a window.
    ///
    /// Writes of one node to one other node arrive in the order in which they were made. A pointer that is written
    /// after an entry therefore never arrives before the entry.
    ///
    /// # Errors
    ///
    /// Returns [`WindowError`] if the node may not write to the bytes of the window, and writes nothing.
    fn write(&mut self, window: WindowId, offset: u32, bytes: &[u8]) -> Result<(), WindowError>;
}

/// Remote memory whose data may take longer than a plain write, because other parts of the node move it.
pub trait OrderedMemory: RemoteMemory {
    /// Evidence that a write follows data that moves by itself. Whoever moves the data gives it out, once for each
    /// pointer.
    type Behind;

    /// Writes bytes like [`RemoteMemory::write`]. They arrive after all data of the messages for which evidence was
    /// given, the last one included.
    ///
    /// # Errors
    ///
    /// Returns [`WindowError`] if the node may not write to the bytes of the window, and writes nothing.
    fn write_behind(
        &mut self,
        window: WindowId,
        offset: u32,
        bytes: &[u8],
        behind: Self::Behind,
    ) -> Result<(), WindowError>;
}
