//! The applets and programs that JIVE ships: class file, Java source and summary of each.
//!
//! The sources of the applets are in `java/`, their class files in `class/`. `build.sh` compiles them. Where `jive`
//! expects the path of a class file, `builtin:RawUnet` selects [`RAW_UNET`].
//!
//! Programs run on a host. Their sources and class files are in `programs/java/` and `programs/class/`, and
//! `programs/build.sh` compiles them. `class:builtin:Ping` selects [`PING`] as the program of a process.

#![no_std]

mod table;

pub use table::{
    ACK_IN_NIC, ACTIVE_MESSAGES, AGGREGATE, ALL, Applet, BARRIER, BURST_25, CHECKSUM, COUNTER,
    DEFER_SEND, DIRECT_COUNTER, DIRECT_FIREWALL, DIRECT_UNET, DRAIN, DROP, FIREWALL, FRESH,
    GENERATOR, JAVAC_JAR, KEY_VALUE, KINDS, LOAD_BALANCE, MODEL_JAR, MULTICAST, NAT, NIC_STUB,
    NULL_CALL, PACKET_PLACED, PING, PING_PONG, POLICER, PONG, PROGRAMS, Program, RAW_UNET,
    RAW_UNET_SINGLE, RECONNECT, REDUCE, RELIABLE, SERVER, SOURCE, SPLIT_C, SPLIT_REQUEST, STREAM,
    TELEMETRY, TOKEN_FLOW, TURNS, VIA_STUB, WINDOW_BARRIER, builtin, program, staged,
};
