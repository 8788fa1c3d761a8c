//! A random number generator that depends only on its initial bytes.

/// A small random number generator (xorshift64*) that gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// Bytes to use before numbers of the generator, in reverse order.
    choices: Vec<u8>,
}

impl Random {
    /// Starts a random number generator from a hash of bytes (FNV-1a).
    #[must_use]
    pub fn new(seed: &[u8]) -> Random {
        let hash = seed.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        // The state must not be zero, because xorshift never leaves the state zero.
        Random {
            state: hash | 1,
            choices: Vec::new(),
        }
    }

    /// Returns a generator that takes each number from the next two bytes, so that each choice depends on its own
    /// bytes. After the last byte, the numbers come from a generator with a fixed seed.
    #[must_use]
    pub fn of_choices(bytes: &[u8]) -> Random {
        Random {
            choices: bytes.iter().rev().copied().collect(),
            ..Random::new(&[])
        }
    }

    /// Returns the next number.
    pub fn draw(&mut self) -> u64 {
        if let Some(first) = self.choices.pop() {
            let choice = u16::from_be_bytes([first, self.choices.pop().unwrap_or(0)]);
            // The number has the two bytes in its high bits for callers that use bytes. The number has the two bytes in
            // its low bits for callers that use a remainder.
            return u64::from(choice) << 48 | u64::from(choice);
        }
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("usize fits u64");
        usize::try_from(self.draw() % bound).expect("it is below a usize")
    }

    /// Returns true with a probability of 1 in `n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns a random `int`. Half of the `int`s that `int` returns are edge cases.
    pub fn int(&mut self) -> i32 {
        const EDGES: [i32; 12] = [
            i32::MIN,
            i32::MIN + 1,
            -32768,
            -1,
            0,
            1,
            2,
            31,
            32,
            33,
            65536,
            i32::MAX,
        ];
        if self.one_in(2) {
            EDGES[self.below(EDGES.len())]
        } else {
            let [a, b, c, d, ..] = self.draw().to_be_bytes();
            i32::from_be_bytes([a, b, c, d])
        }
    }

    /// Returns this many bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        core::iter::repeat_with(|| self.draw().to_be_bytes()[0])
            .take(count)
            .collect()
    }
}
