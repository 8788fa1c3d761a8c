//! The applets that JIVE ships: for each, its class file, its Java source and a sentence.
//!
//! The sources lie in `java/`, the class files in `class/`; `build.sh` makes the second from the
//! first. Where a class file is asked for by name, `builtin:RawUnet` means [`RAW_UNET`].

#![no_std]

mod table;

pub use table::{
    ALL, Applet, COUNTER, DROP, NIC_STUB, PING_PONG, RAW_UNET, RAW_UNET_SINGLE, builtin,
};
