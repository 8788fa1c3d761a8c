//! How long loading takes: parse, verify and link, of the applet that ships and of large classes.

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

/// A class of long methods, as [`tests::large`] makes them.
#[derive(Clone, Debug)]
pub struct LargeClass {
    /// The class file.
    pub bytes: Vec<u8>,
}

impl LargeClass {
    /// Returns a class of so many methods with so many loops each.
    #[must_use]
    pub fn new(methods: u32, loops: u32) -> LargeClass {
        LargeClass {
            bytes: tests::large::class_file(methods, loops),
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
