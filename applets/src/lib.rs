//! The applets that JIVE ships: class file, Java source and summary of each.
//!
//! The sources are in `java/`, the class files in `class/`. `build.sh` compiles them. Where a class file is expected,
//! `builtin:RawUnet` selects [`RAW_UNET`].

#![no_std]

mod table;

pub use table::{
    ACK_IN_NIC, ALL, Applet, BURST_25, COUNTER, DROP, GENERATOR, MODEL_JAR, NIC_STUB, NULL_CALL,
    PING_PONG, RAW_UNET, RAW_UNET_SINGLE, builtin,
};
