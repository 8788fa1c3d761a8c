//! The programs that are timed: the public kernels, and programs that nobody tuned for.

use crate::native::{held_out, public};
use crate::peer::{PeerError, Running, in_process};

/// A program: every form of it is invoked with two ints, and gives the same values.
#[derive(Copy, Clone, Debug)]
pub struct Kernel {
    /// Its name, in tables and to peers.
    pub name: &'static str,
    /// What it does, in a few words.
    pub what: &'static str,
    /// The class file.
    pub class: &'static [u8],
    /// Its method; the class has a method `init` as well, which makes all state.
    pub method: &'static str,
    /// Its size argument.
    pub b: i32,
    /// Begins the native form.
    pub native: fn(b: i32) -> Result<Running<'static>, PeerError>,
}

impl Kernel {
    /// Returns whether it is one of the public kernels.
    #[must_use]
    pub fn is_public(&self) -> bool {
        PUBLIC.iter().any(|kernel| kernel.name == self.name)
    }
}

/// The kernel that does nothing: it shows what entering costs, and no mean counts it.
pub const NULLCALL: &str = "nullcall";

const KERNELS_CLASS: &[u8] = include_bytes!("../../tests/java/class/Kernels.class");

/// The public kernels.
pub const PUBLIC: [Kernel; 8] = [
    public(NULLCALL, 0, "enter with two ints and return", |b| {
        native(public::State::init, public::nullcall, b)
    }),
    public("checksum", 1500, "internet checksum of 1500 bytes", |b| {
        native(public::State::init, public::checksum, b)
    }),
    public("crc32", 1500, "CRC-32 of 1500 bytes, bit by bit", |b| {
        native(public::State::init, public::crc32, b)
    }),
    public("crc32t", 1500, "CRC-32 of 1500 bytes, by table", |b| {
        native(public::State::init, public::crc32t, b)
    }),
    public("sieve", 8192, "sieve of Eratosthenes below 8192", |b| {
        native(public::State::init, public::sieve, b)
    }),
    public("fib", 20, "recursive Fibonacci, 21891 calls", |b| {
        native(public::State::init, public::fib, b)
    }),
    public("fwd", 64, "forward an IPv4 packet of 64 bytes", |b| {
        native(public::State::init, public::fwd, b)
    }),
    public("sort", 256, "insertion sort of 256 ints", |b| {
        native(public::State::init, public::sort, b)
    }),
];

macro_rules! held_out {
    ($program:ident, $name:literal, $b:literal, $what:literal) => {
        Kernel {
            name: $name,
            what: $what,
            class: include_bytes!(concat!("../kernels/class/", stringify!($program), ".class")),
            method: "run",
            b: $b,
            native: |b| native(held_out::$program::init, held_out::$program::run, b),
        }
    };
}

/// Programs that nobody tuned for: which ops there are is decided by others (`docs/op-frequencies.md`). What
/// each of these takes, and four of them themselves, have been looked at to learn where ops are slow.
pub const HELD_OUT: [Kernel; 9] = [
    held_out!(Cobs, "cobs", 250, "byte stuffing of 250 bytes, and back"),
    held_out!(Unpack, "unpack", 2000, "expansion of a packed block"),
    held_out!(HalfSip, "halfsip", 16, "HalfSipHash-2-4 of 64 bytes"),
    held_out!(FlowTable, "flowtable", 100, "100 lookups in a hash table"),
    held_out!(
        Horspool,
        "horspool",
        1024,
        "search of a pattern in 1024 bytes"
    ),
    held_out!(
        Filter,
        "filter",
        256,
        "filter of 16 taps over 256 samples of 16 bits"
    ),
    held_out!(
        Scheduler,
        "scheduler",
        100,
        "100 jobs of a binary heap in fields"
    ),
    held_out!(Tokens, "tokens", 512, "tokens of 512 bytes of text"),
    held_out!(
        Divisors,
        "divisors",
        100,
        "greatest divisors of 100 numbers"
    ),
];

const fn public(
    name: &'static str,
    b: i32,
    what: &'static str,
    native: fn(i32) -> Result<Running<'static>, PeerError>,
) -> Kernel {
    Kernel {
        name,
        what,
        class: KERNELS_CLASS,
        method: name,
        b,
        native,
    }
}

fn native<S: 'static>(
    init: fn() -> S,
    run: fn(&mut S, i32, i32) -> i32,
    b: i32,
) -> Result<Running<'static>, PeerError> {
    let mut state = init();
    // A function that the compiler does not know is entered as a handler is.
    let run = std::hint::black_box(run);
    in_process(b, move |a, b| Ok(run(&mut state, a, b)))
}
