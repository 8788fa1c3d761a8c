//! How long loading takes: parse, verify and link, of the applet that ships and of large classes.

use std::fmt::Write;

use bumpalo::Bump;
use nic_runtime::sle::{Policy, load_class};

use crate::clock::{median, time};

const ROUNDS: usize = 15;
/// Loads of `RawUnet` in one round.
const LOADS: u32 = 200;

/// Returns how many microseconds it takes to load `RawUnet`, into an arena that has its memory.
#[must_use]
pub fn raw_unet_us() -> f64 {
    let mut arena = Bump::new();
    let rounds = (0..ROUNDS).map(|_| {
        let taken = time(|| {
            for _ in 0..LOADS {
                load(&arena, applets::RAW_UNET.class, Policy::Applet);
                arena.reset();
            }
        });
        taken.as_secs_f64() * 1e6 / f64::from(LOADS)
    });
    median(rounds.collect())
}

/// A class of long methods: loops over arithmetic, as a compiler would write them.
#[derive(Clone, Debug)]
pub struct LargeClass {
    /// The class file.
    pub bytes: Vec<u8>,
}

/// The most loops of a method; together their code is a little below the limit of 64 KiB.
pub const LOOPS_MAX: u32 = 3_000;

impl LargeClass {
    /// Returns a class of so many methods with so many loops each; [`LOOPS_MAX`] make nearly 64 KiB of
    /// code.
    ///
    /// # Panics
    /// Where the assembler refuses it.
    #[must_use]
    pub fn new(methods: u32, loops: u32) -> LargeClass {
        let mut source = String::new();
        for method in 0..methods {
            // Writing to a string cannot fail.
            let _ = writeln!(source, ".method static run{method}(II)I stack 2 locals 3");
            source.push_str("    iconst_0\n    istore_2\n");
            for number in 0..loops {
                let _ = writeln!(
                    source,
                    "L{number}:\n    iload_2\n    iload_0\n    ixor\n    istore_2\n    iinc 0 -1\n    \
                     iload_0\n    iload_1\n    iadd\n    iinc 1 3\n    ifgt L{number}"
                );
            }
            source.push_str("    iload_2\n    ireturn\n");
        }
        let assembled = tests::asm::assemble("large", &source);
        let assembled = assembled.unwrap_or_else(|error| panic!("{error:?}"));
        LargeClass {
            bytes: assembled.bytes,
        }
    }

    /// Returns how many millions of its bytes are loaded in a second.
    #[must_use]
    pub fn megabytes_per_second(&self) -> f64 {
        let mut arena = Bump::new();
        let rounds = (0..ROUNDS).map(|_| {
            let taken = time(|| load(&arena, &self.bytes, Policy::ClassOnly));
            arena.reset();
            // Exact: file lengths are far below 2^52.
            self.bytes.len() as f64 / 1e6 / taken.as_secs_f64()
        });
        median(rounds.collect())
    }
}

fn load(arena: &Bump, bytes: &[u8], policy: Policy) {
    if let Err(error) = load_class(arena, bytes, policy) {
        panic!("{error}");
    }
}
