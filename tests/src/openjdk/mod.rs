//! The comparison with OpenJDK: one list of calls, and what OpenJDK and JIVE make of it as text.
//!
//! `java/calls.txt` lists the calls and says how a line of it reads. A line's results stand behind it
//! and a colon, one word each: the number returned (a `boolean` as 0 or 1), `void`, or
//! `TRAP@METHOD:LINE`. [`jdk`] asks OpenJDK for them, [`jive`] asks JIVE.

mod calls;
pub mod committed;
pub mod jdk;
pub mod jive;

pub use calls::{Call, calls};
