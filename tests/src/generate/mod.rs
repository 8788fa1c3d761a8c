//! Uses of the generators of `jive-lab` that need an oracle.
//!
//! [`scope`] enumerates all bodies of a length. [`counted`] generates classes with loops. [`judge`] compares JIVE's
//! verdicts with OpenJDK's. If OpenJDK alone rejects a class, [`judge`] asks OpenJDK again without the parts that JIVE
//! does not read ([`normal`]).

pub mod counted;
pub mod judge;
pub mod normal;
pub mod scope;
