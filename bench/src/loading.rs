//! Times of loading, which is parsing, verifying and linking: of the shipped applet `RawUnet` and of large classes.

use bumpalo::Bump;
use jive_embed::load_class;
use jive_verifier::Policy;
use nic_core::sle::{NicEntry, NicNative};

use crate::clock::time;
use crate::pace::{Pace, Paced};

const ROUNDS: usize = 15;
/// Loads of `RawUnet` in a round.
const LOADS: u32 = 200;
/// Minimum number of bytes of large classes that are loaded in a round.
const BYTES: usize = 100_000;

/// Returns the microseconds to load `RawUnet` into an arena that already has its memory.
#[must_use]
pub fn raw_unet_us(pace: &mut Pace) -> Paced {
    let mut arena = Bump::new();
    pace.beside(ROUNDS, || {
        let taken = time(|| {
            for _ in 0..LOADS {
                load(
                    &arena,
                    applets::RAW_UNET.class,
                    Policy::Applet {
                        entries: NicEntry::TABLE,
                    },
                );
                arena.reset();
            }
        });
        taken.as_secs_f64() * 1e6 / f64::from(LOADS)
    })
}

/// A class of long methods, as [`traffic::large`] makes them.
#[derive(Clone, Debug)]
pub struct LargeClass {
    /// The class file.
    pub bytes: Vec<u8>,
}

impl LargeClass {
    /// Returns a class with `methods` methods, each of which has `loops` loops.
    #[must_use]
    pub fn new(methods: u32, loops: u32) -> LargeClass {
        LargeClass {
            bytes: traffic::large::class_file(methods, loops),
        }
    }

    /// Returns the megabytes of this class that are loaded in a second.
    #[must_use]
    pub fn megabytes_per_second(&self, pace: &mut Pace) -> Paced {
        let mut arena = Bump::new();
        // Small classes load several times in a round, because a single load is too short for the clock.
        let loads = BYTES.div_ceil(self.bytes.len());
        let ns_of_a_byte = pace.beside(ROUNDS, || {
            let taken = time(|| {
                for _ in 0..loads {
                    load(&arena, &self.bytes, Policy::ClassOnly);
                    arena.reset();
                }
            });
            // The conversion is exact, because file lengths are far below 2^52.
            taken.as_secs_f64() * 1e9 / (loads * self.bytes.len()) as f64
        });
        ns_of_a_byte.rate(1e3)
    }
}

fn load(arena: &Bump, bytes: &[u8], policy: Policy) {
    if let Err(error) = load_class(arena, bytes, policy, NicNative::TABLE) {
        panic!("{error}");
    }
}
