//! Remote memory in the simulator: writes to windows travel as packets, and change the receiver's memory when they
//! arrive.
//!
//! A library collects its writes in [`Writes`], and [`carry_out`] passes them to the NIC. A write to a window needs no
//! slot and no processor of a NIC. The module `clan` models the only NIC with remote memory: it says how long writes
//! take, and carries them out. The module `mapping` delays writes of a processor until their windows are mapped.
//!
//! The module `outgoing` orders pointers behind the data that DMA moves, and `requests` takes DMA requests one by one.
//!
//! The module `windows` has the windows that scenarios declare, to which applets write and which they watch, and `reads`
//! the reads of windows.

mod asked;
mod clan;
mod costs;
mod engine;
mod mapped;
mod mapping;
mod noticed;
mod outgoing;
mod reading;
mod reads;
mod requested;
mod requests;
mod shown;
mod state;
mod waiting;
mod windows;
mod writes;

pub(crate) use self::asked::asked;
pub(crate) use self::costs::Costs;
pub(crate) use self::engine::{Remote, carry_out};
pub(crate) use self::mapped::AllMappings;
pub(crate) use self::mapping::{completes_later, is_waiting, mapped};
pub(crate) use self::outgoing::Moving;
pub(crate) use self::reads::{
    Read, forget_read, forget_reads, land_read, look_at_windows, make_read,
};
pub(crate) use self::requested::Due;
pub(crate) use self::requests::{due as request_due, over as request_over};
pub(crate) use self::shown::{Shown, tell_arrives, tell_leaves};
pub(crate) use self::state::{AllWindows, HasRemote, WindowState};
pub(crate) use self::windows::{make_write, unwatch_all, watch};
pub(crate) use self::writes::Writes;
