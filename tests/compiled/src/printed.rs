//! What the build script printed.

#![expect(
    clippy::all,
    unreachable_code,
    unreachable_pub,
    unused_assignments,
    unused_mut,
    unused_parens,
    unused_variables,
    reason = "printed code"
)]

use crate::{Class, Mock};

include!(concat!(env!("OUT_DIR"), "/printed.rs"));
