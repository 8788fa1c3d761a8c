//! What the build script printed.

use crate::{Class, Mock, Standalone};

include!(concat!(env!("OUT_DIR"), "/printed.rs"));
