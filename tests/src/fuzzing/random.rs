//! A stream of numbers that depends on nothing but the bytes it starts from.

/// A small generator (xorshift64*), enough to vary a run and the same on every machine.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// Choices that come before the stream, the first one last.
    choices: Vec<u8>,
}

impl Random {
    /// Begins a stream from bytes (FNV-1a).
    #[must_use]
    pub fn new(seed: &[u8]) -> Random {
        let hash = seed.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        // Zero is the one state that xorshift never leaves.
        Random {
            state: hash | 1,
            choices: Vec::new(),
        }
    }

    /// Draws each number from the next two bytes, so that each choice depends on bytes of its own. When the bytes run
    /// out, goes on with a stream that is always the same.
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
            // In the high bits, for callers that take bytes, and in the low ones, for callers that take a remainder.
            return u64::from(choice) << 48 | u64::from(choice);
        }
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("usize fits u64");
        usize::try_from(self.draw() % bound).expect("it is below a usize")
    }

    /// Returns true once in `n` times on average.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns an `int`: half of the time one at an edge.
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
