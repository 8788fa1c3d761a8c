//! LMMC: communication as memory. A process sends by writing to a page and receives by reading one (Nakajo, Nakano,
//! Kaneda: "Scalable Network of Workstation Clusters"; S4-01 to S4-24).
//!
//! A [port](PortId) is a one-way path between two nodes, one page long. The nodes' processes map it as they map any
//! memory. A link has a few *frames* for each direction, and many more ports: a port that is written while it has no
//! frame is paged in, and another one is paged out to main memory at the receiver (S4-05).
//!
//! | file | holds |
//! |---|---|
//! | `names`, `message` | ids, and the three messages with their bytes |
//! | `pages` | the entries of page tables, and what they protect |
//! | `frames` | which port each frame holds, and which frame is given up |
//! | `line` | the line that gathers writes under late update |
//! | `ports` | ports, with their state, their frame, and who maps them |
//! | `link` | one end of a link: mapping, policies, deletion |
//! | `store` | stores to send pages |
//! | `set_up` | how both ends come to one id |
//! | `paging` | the seven steps of each side |
//! | `receive` | the peer's messages, each checked against the tables |
//! | `event` | what a trace shows of all this |
//!
//! The code has neither a clock nor the bytes of frames and pages: an engine decides when each step happens, carries the
//! messages in order, and copies what it is told to.

mod event;
mod frames;
mod line;
mod link;
mod message;
mod names;
mod pages;
mod paging;
mod ports;
mod receive;
mod refused;
mod set_up;
mod store;
#[cfg(test)]
mod tests;

pub use event::{FlushReason, LmmcEvent, PagingSide, PortAction};
pub use frames::{FRAMES_MAX, FrameTable, Victims};
pub use line::{Flushed, LINE_BYTES, Line};
pub use link::{CREATIONS_MAX, Deletion, LinkEnd, PortError, Sizes, SizesError};
pub use message::{HEADER_BYTES, Message, MessageError, PageRequest, SetUp, SetUpStep, Write};
pub use names::{
    CreationId, Direction, FrameId, LinkId, PageNumber, Policy, PortId, ProcessId, VirtualPage,
};
pub use pages::{
    Access, PAGES_MAX, PageEntry, PageTables, Place, ProtectionFault, ReceivePage, SendPage,
    check_within,
};
pub use paging::{
    Chosen, FaultError, Faulted, Invalidated, Outgoing, PageCopy, PageOut, PagedIn, PagedOut,
    Requested, Restored, Saved, Stopped, Trapped, Validated,
};
pub use ports::{PORTS_MAX, PortState, SHARERS_MAX, Sharer};
pub use receive::{Landing, Received};
pub use refused::Refused;
pub use set_up::Progress;
pub use store::{Sent, Store, StoreError};
