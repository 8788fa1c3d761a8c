//! From the bytes of a class file to a linked class: parse, verify, link.
//!
//! Each stage of loading works in memory that the caller lends from an [`Arena`]. For devices without an allocator, the
//! arena [`Storage`] cuts memory from one slice of bytes; `jive-embed` allocates memory on the heap. A second arena
//! lends the memory that only loading needs, which is free again when [`load`] returns.
//!
//! ```
//! use core::mem::MaybeUninit;
//! use jive_core::{Lifetime, NoNatives};
//! use jive_load::{Room, Storage, initialize, load};
//! use jive_verifier::Policy;
//!
//! # let bytes = include_bytes!("../examples/Filter.class");
//! let mut memory = [MaybeUninit::uninit(); 4096];
//! let storage = Storage::new(&mut memory);
//! let class = {
//!     let mut scratch = [MaybeUninit::uninit(); 4096];
//!     load(bytes, Policy::ClassOnly, &[], &storage, &Storage::new(&mut scratch))?
//! };
//! let room = Room { heap_bytes: 64, nested_calls: 4 };
//! let (mut filter, mut stack) = storage.instance(&class, room)?;
//! initialize(&mut filter, &mut stack, 1_000, &mut NoNatives)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used
    )
)]

mod error;
mod size;
mod stages;
mod storage;

pub use error::{CertifiedError, LoadError};
pub use size::LoadSize;
pub use stages::{check, initialize, link, link_collected, load, load_certified, parse, verify};
pub use storage::{Arena, Room, Shortage, Storage};
