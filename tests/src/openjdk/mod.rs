//! The comparison with OpenJDK: a list of calls, run by OpenJDK and by JIVE, with results as text.
//!
//! `java/calls.txt` contains the calls and describes its own syntax. The results of a line's calls follow after a
//! colon, one word each: the returned number (0 or 1 for a `boolean`), `void`, or `TRAP@METHOD:LINE`. [`jdk`] and
//! [`jive`] produce the results of the calls.

mod calls;
pub mod committed;
pub mod jdk;
pub mod jive;

pub use calls::{Call, calls};
