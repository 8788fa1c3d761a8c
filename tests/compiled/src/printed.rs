//! What the build script printed.

use crate::{Class, Mock};

include!(concat!(env!("OUT_DIR"), "/printed.rs"));
