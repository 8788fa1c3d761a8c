//! The programs that are timed: public kernels, validation programs and held-out programs.

use crate::native::{held_out, public, validation};
use crate::peer::{PeerError, Running, in_process};

/// A program, all implementations of which have two ints as arguments and return the same values.
#[derive(Copy, Clone, Debug)]
pub struct Kernel {
    /// The program's name, in tables and to peers.
    pub name: &'static str,
    /// What the program does, in a few words.
    pub what: &'static str,
    /// The class file.
    pub class: &'static [u8],
    /// The method that is timed. The class also has a method `init`, which creates all state.
    pub method: &'static str,
    /// The second argument of the method: the size of the problem.
    pub b: i32,
    /// Starts the native implementation.
    pub native: fn(b: i32) -> Result<Running<'static>, PeerError>,
}

impl Kernel {
    /// Returns whether the program is one of the public kernels.
    #[must_use]
    pub fn is_public(&self) -> bool {
        PUBLIC.iter().any(|kernel| kernel.name == self.name)
    }
}

/// The kernel that does nothing, which measures the cost of a call and is excluded from means.
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

macro_rules! program {
    ($set:ident, $program:ident, $name:literal, $b:literal, $what:literal) => {
        Kernel {
            name: $name,
            what: $what,
            class: include_bytes!(concat!("../kernels/class/", stringify!($program), ".class")),
            method: "run",
            b: $b,
            native: |b| native($set::$program::init, $set::$program::run, b),
        }
    };
}

/// The validation programs. Other programs decided which ops exist (`docs/linked-form.md`). Still, the times of the validation programs, and the code of four of them, were inspected while ops were
/// added.
pub const VALIDATION: [Kernel; 9] = [
    program!(
        validation,
        Cobs,
        "cobs",
        250,
        "byte stuffing of 250 bytes, and back"
    ),
    program!(
        validation,
        Unpack,
        "unpack",
        2000,
        "expansion of a packed block"
    ),
    program!(
        validation,
        HalfSip,
        "halfsip",
        16,
        "HalfSipHash-2-4 of 64 bytes"
    ),
    program!(
        validation,
        FlowTable,
        "flowtable",
        100,
        "100 lookups in a hash table"
    ),
    program!(
        validation,
        Horspool,
        "horspool",
        1024,
        "search of a pattern in 1024 bytes"
    ),
    program!(
        validation,
        Filter,
        "filter",
        256,
        "filter of 16 taps over 256 samples of 16 bits"
    ),
    program!(
        validation,
        Scheduler,
        "scheduler",
        100,
        "100 jobs of a binary heap in fields"
    ),
    program!(
        validation,
        Tokens,
        "tokens",
        512,
        "tokens of 512 bytes of text"
    ),
    program!(
        validation,
        Divisors,
        "divisors",
        100,
        "greatest divisors of 100 numbers"
    ),
];

/// The held-out programs, which were written without a look at the ops and are never measured before an op is chosen.
pub const HELD_OUT: [Kernel; 6] = [
    program!(
        held_out,
        Base64,
        "base64",
        192,
        "Base64 of 192 bytes, and back"
    ),
    program!(held_out, Xtea, "xtea", 32, "XTEA of 16 blocks, chained"),
    program!(
        held_out,
        Gamma,
        "gamma",
        100,
        "100 numbers in Elias gamma code, and back"
    ),
    program!(
        held_out,
        Routes,
        "routes",
        64,
        "64 longest-prefix matches in a trie"
    ),
    program!(
        held_out,
        Distance,
        "distance",
        32,
        "edit distance of two texts of 32 bytes"
    ),
    program!(
        held_out,
        Median,
        "median",
        256,
        "median of 9 over 256 samples"
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
    // `black_box` hides the function from the compiler, so that it is called as a packet handler would be.
    let run = std::hint::black_box(run);
    in_process(b, move |a, b| Ok(run(&mut state, a, b)))
}
