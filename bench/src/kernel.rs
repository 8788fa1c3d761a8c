//! The programs that are timed: the public kernels, and programs that nobody tuned for.

use crate::native::public;
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
        native(public::nullcall, b)
    }),
    public("checksum", 1500, "internet checksum of 1500 bytes", |b| {
        native(public::checksum, b)
    }),
    public("crc32", 1500, "CRC-32 of 1500 bytes, bit by bit", |b| {
        native(public::crc32, b)
    }),
    public("crc32t", 1500, "CRC-32 of 1500 bytes, by table", |b| {
        native(public::crc32t, b)
    }),
    public("sieve", 8192, "sieve of Eratosthenes below 8192", |b| {
        native(public::sieve, b)
    }),
    public("fib", 20, "recursive Fibonacci, 21891 calls", |b| {
        native(public::fib, b)
    }),
    public("fwd", 64, "forward an IPv4 packet of 64 bytes", |b| {
        native(public::fwd, b)
    }),
    public("sort", 256, "insertion sort of 256 ints", |b| {
        native(public::sort, b)
    }),
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

fn native(
    run: fn(&mut public::State, i32, i32) -> i32,
    b: i32,
) -> Result<Running<'static>, PeerError> {
    let mut state = public::State::new();
    // A function that the compiler does not know is entered as a handler is.
    let run = std::hint::black_box(run);
    in_process(b, move |a, b| Ok(run(&mut state, a, b)))
}
