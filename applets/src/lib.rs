//! The applets that JIVE ships: for each, its class file, its Java source and a sentence.
//!
//! The sources lie in `java/`, the class files in `class/`; `build.sh` makes the second from the
//! first. Where a class file is asked for by name, `builtin:RawUnet` means [`RAW_UNET`].

#![no_std]

mod table;

pub use table::{
    ACK_IN_NIC, ALL, Applet, BURST_25, COUNTER, DROP, GENERATOR, NIC_STUB, NULL_CALL, PING_PONG,
    RAW_UNET, RAW_UNET_SINGLE, builtin,
};
