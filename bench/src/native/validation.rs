//! The validation programs in safe Rust. Each does the same steps as its Java version in `programs`.

/// Byte stuffing, as in `Cobs.java`.
#[derive(Clone, Debug)]
pub struct Cobs {
    plain: [u8; 256],
    stuffed: [u8; 260],
    back: [u8; 256],
}

impl Cobs {
    /// Creates the state.
    #[must_use]
    pub fn init() -> Cobs {
        let mut random = 99_u32;
        let plain = [(); 256].map(|()| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if random >> 28 < 3 {
                0
            } else {
                (random >> 20) as u8
            }
        });
        Cobs {
            plain,
            stuffed: [0; 260],
            back: [0; 256],
        }
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        self.plain[(a & 63) as usize] = a as u8;
        let length = self.encode(b as usize);
        let decoded = self.decode(length);
        let mut hash = length as i32;
        for position in 0..decoded {
            if self.back[position] != self.plain[position] {
                return -1;
            }
            hash = hash.wrapping_mul(33) ^ i32::from(self.stuffed[position] as i8);
        }
        hash
    }

    fn encode(&mut self, length: usize) -> usize {
        let (mut code, mut code_at, mut out) = (1_u8, 0, 1);
        for position in 0..length {
            let value = self.plain[position];
            if value != 0 {
                self.stuffed[out] = value;
                out += 1;
                code += 1;
            }
            if value == 0 || code == 255 {
                self.stuffed[code_at] = code;
                code_at = out;
                out += 1;
                code = 1;
            }
        }
        self.stuffed[code_at] = code;
        out
    }

    fn decode(&mut self, length: usize) -> usize {
        let (mut position, mut out) = (0, 0);
        while position < length {
            let code = self.stuffed[position];
            position += 1;
            for _ in 1..code {
                self.back[out] = self.stuffed[position];
                out += 1;
                position += 1;
            }
            if code < 255 && position < length {
                self.back[out] = 0;
                out += 1;
            }
        }
        out
    }
}

/// Expansion of a packed block, as in `Unpack.java`.
#[derive(Clone, Debug)]
pub struct Unpack {
    packed: [i8; 512],
    block: [i8; 2048],
}

impl Unpack {
    /// Creates the state.
    #[must_use]
    pub fn init() -> Unpack {
        let mut packed = [0; 512];
        let mut random = 7_u32;
        let mut at = 0;
        let mut put = |at: &mut usize, value: u32| {
            packed[*at] = value as i8;
            *at += 1;
        };
        while at < 490 {
            random = random.wrapping_mul(22_695_477).wrapping_add(1);
            let pick = (random >> 16) & 0xff;
            if at < 12 || pick < 120 {
                let literals = 1 + (pick & 7);
                put(&mut at, literals);
                for literal in 0..literals {
                    put(&mut at, random >> (literal & 15));
                }
            } else {
                put(&mut at, 0x80 | (pick & 15));
                put(&mut at, 1 + ((random >> 8) & 7));
            }
        }
        put(&mut at, 0);
        Unpack {
            packed,
            block: [0; 2048],
        }
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        let Unpack { packed, block } = self;
        packed[1] = a as i8;
        let (mut next, mut out) = (1, 0);
        let mut token = packed[0];
        while token != 0 && out < b as usize {
            if token > 0 {
                for _ in 0..token {
                    block[out] = packed[next];
                    out += 1;
                    next += 1;
                }
            } else {
                let count = (token & 0x7f) as usize + 3;
                let from = out - packed[next] as usize;
                next += 1;
                for step in 0..count {
                    block[out + step] = block[from + step];
                }
                out += count;
            }
            token = packed[next];
            next += 1;
        }
        let written = block[..out].iter().step_by(7);
        let sum: i32 = written.map(|value| i32::from(*value)).sum();
        (sum << 12) ^ out as i32
    }
}

/// A keyed hash, as in `HalfSip.java`.
#[derive(Clone, Debug)]
pub struct HalfSip {
    key: [u32; 2],
    message: [u32; 16],
}

impl HalfSip {
    /// Creates the state.
    #[must_use]
    pub fn init() -> HalfSip {
        HalfSip {
            key: [0x0302_0100, 0x0706_0504],
            message: std::array::from_fn(|index| index as u32 * 0x0101_0101),
        }
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        self.message[0] = a as u32;
        let [mut v0, mut v1] = self.key;
        let mut v2 = 0x6c79_6765 ^ v0;
        let mut v3 = 0x7465_6462 ^ v1;
        for index in 0..=b {
            let last = index == b;
            let word = if last {
                (b << 26) as u32
            } else {
                self.message[index as usize]
            };
            v3 ^= word;
            for round in 0..if last { 6 } else { 2 } {
                if round == 2 {
                    v0 ^= word;
                    v2 ^= 0xff;
                }
                v0 = v0.wrapping_add(v1);
                v1 = v1.rotate_left(5) ^ v0;
                v0 = v0.rotate_left(16);
                v2 = v2.wrapping_add(v3);
                v3 = v3.rotate_left(8) ^ v2;
                v0 = v0.wrapping_add(v3);
                v3 = v3.rotate_left(7) ^ v0;
                v2 = v2.wrapping_add(v1);
                v1 = v1.rotate_left(13) ^ v2;
                v2 = v2.rotate_left(16);
            }
            v0 ^= if last { 0 } else { word };
        }
        (v1 ^ v3) as i32
    }
}

/// A table of flows, as in `FlowTable.java`.
#[derive(Clone, Debug)]
pub struct FlowTable {
    keys: [i32; 256],
    counts: [i16; 256],
    used: i32,
}

impl FlowTable {
    /// Creates the state.
    #[must_use]
    pub fn init() -> FlowTable {
        FlowTable {
            keys: [0; 256],
            counts: [0; 256],
            used: 0,
        }
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        let mut result = 0_i32;
        let mut random = a as u32;
        for _ in 0..b {
            random = random.wrapping_mul(69_069).wrapping_add(5);
            let source = (random >> 24) & 0x3f;
            let port = (random >> 16) & 3;
            let slot = self.find((source << 8 | port | 0x10000) as i32);
            self.counts[slot] = self.counts[slot].wrapping_add(1);
            let count = i32::from(self.counts[slot]);
            result = result.wrapping_mul(17).wrapping_add(count);
        }
        result.wrapping_add(self.used)
    }

    fn find(&mut self, key: i32) -> usize {
        let mut slot = ((key as u32).wrapping_mul(0x9E37_79B1) >> 24) as usize;
        while self.keys[slot] != key {
            if self.keys[slot] == 0 {
                if self.used == 192 {
                    *self = FlowTable::init();
                }
                self.keys[slot] = key;
                self.used += 1;
                return slot;
            }
            slot = (slot + 1) & 255;
        }
        slot
    }
}

/// A search in a payload, as in `Horspool.java`.
#[derive(Clone, Debug)]
pub struct Horspool {
    text: [u8; 1024],
    pattern: [u8; 5],
    skip: [u8; 16],
}

impl Horspool {
    /// Creates the state.
    #[must_use]
    pub fn init() -> Horspool {
        let mut random = 4242_u32;
        let text = [(); 1024].map(|()| {
            random = random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            ((random >> 16) & 15) as u8
        });
        Horspool {
            text,
            pattern: [0; 5],
            skip: [0; 16],
        }
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        let last = self.pattern.len() - 1;
        self.skip.fill(self.pattern.len() as u8);
        let start = ((a * 37) & 511) as usize;
        for position in 0..=last {
            let value = self.text[start + position];
            self.pattern[position] = value;
            if position < last {
                self.skip[usize::from(value)] = (last - position) as u8;
            }
        }
        let (mut hits, mut places, mut at) = (0, 0, 0);
        while at + last < b as usize {
            if self.text[at..=at + last] == self.pattern {
                hits += 1;
                places ^= at as i32;
            }
            at += usize::from(self.skip[usize::from(self.text[at + last])]);
        }
        (hits << 16) | places
    }
}

/// A filter over samples, as in `Filter.java`.
#[derive(Clone, Debug)]
pub struct Filter {
    samples: [i16; 256],
    filtered: [i16; 256],
    taps: [i16; 8],
}

impl Filter {
    /// Creates the state.
    #[must_use]
    pub fn init() -> Filter {
        Filter {
            samples: std::array::from_fn(|index| (index * index * 777 + index * 31) as i16),
            filtered: [0; 256],
            taps: std::array::from_fn(|index| {
                (600 + 1100 * index as i32 - (index as i32 & 1) * 3000) as i16
            }),
        }
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        self.samples[(a & 255) as usize] ^= a as i16;
        let mut energy = 0_i32;
        for n in 15..b as usize {
            let mut sum = 1_i32 << 13;
            for (k, tap) in self.taps.iter().enumerate() {
                let pair = i32::from(self.samples[n - k]) + i32::from(self.samples[n - 15 + k]);
                sum = sum.wrapping_add(i32::from(*tap).wrapping_mul(pair));
            }
            self.filtered[n] = (sum >> 14).clamp(-32768, 32767) as i16;
            let value = i32::from(self.filtered[n]);
            energy = energy.wrapping_add(value.wrapping_mul(value) >> 8);
        }
        energy
    }
}

/// A queue of deadlines, as in `Scheduler.java`.
#[derive(Clone, Debug)]
pub struct Scheduler {
    deadlines: [i32; 128],
    size: usize,
    now: i32,
    late: i32,
    random: u32,
}

impl Scheduler {
    /// Creates the state.
    #[must_use]
    pub fn init() -> Scheduler {
        let mut scheduler = Scheduler {
            deadlines: [0; 128],
            size: 0,
            now: 0,
            late: 0,
            random: 11,
        };
        for _ in 0..64 {
            let deadline = scheduler.draw() & 0x3ff;
            scheduler.add(deadline);
        }
        scheduler
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        self.random ^= a as u32;
        let mut waited = 0_i32;
        for _ in 0..b {
            let deadline = self.remove_first();
            if deadline < self.now {
                self.late += 1;
                self.now += 3;
            } else {
                waited = waited.wrapping_add(deadline - self.now);
                self.now = deadline;
            }
            let next = self.now + 1 + (self.draw() & 0x3ff);
            self.add(next);
        }
        let (waited, late) = (waited, self.late);
        if self.now > 1_000_000 {
            *self = Scheduler::init();
            return waited.wrapping_mul(31);
        }
        waited.wrapping_mul(31).wrapping_add(late)
    }

    fn draw(&mut self) -> i32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        (self.random >> 3) as i32
    }

    fn add(&mut self, deadline: i32) {
        let mut at = self.size;
        self.size += 1;
        while at > 0 && self.deadlines[(at - 1) / 2] > deadline {
            self.deadlines[at] = self.deadlines[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        self.deadlines[at] = deadline;
    }

    fn remove_first(&mut self) -> i32 {
        let first = self.deadlines[0];
        self.size -= 1;
        let moved = self.deadlines[self.size];
        let mut at = 0;
        while 2 * at + 1 < self.size {
            let mut child = 2 * at + 1;
            if child + 1 < self.size && self.deadlines[child + 1] < self.deadlines[child] {
                child += 1;
            }
            if moved <= self.deadlines[child] {
                break;
            }
            self.deadlines[at] = self.deadlines[child];
            at = child;
        }
        self.deadlines[at] = moved;
        first
    }
}

/// A tokenizer, as in `Tokens.java`.
#[derive(Clone, Debug)]
pub struct Tokens {
    text: [u8; 512],
}

/// The kind of token that the current byte belongs to.
enum Reading {
    Nothing,
    Number(i32),
    Word(i32),
    Comment,
}

impl Tokens {
    /// Creates the state.
    #[must_use]
    pub fn init() -> Tokens {
        let mut random = 31_337_u32;
        let text = [(); 512].map(|()| {
            random = random.wrapping_mul(214_013).wrapping_add(2_531_011);
            let pick = ((random >> 16) & 31) as u8;
            match pick {
                0..8 => b'0' + pick,
                8..22 => b'a' + pick,
                22 => b'#',
                23 | 24 => b'\n',
                25 => b'+',
                26 => b'*',
                _ => b' ',
            }
        });
        Tokens { text }
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        self.text[(a & 127) as usize] = b'0' + (a % 10) as u8;
        let mut state = Reading::Nothing;
        let mut hash = 0_i32;
        for &byte in &self.text[..b as usize] {
            let value = i32::from(byte);
            state = match state {
                Reading::Nothing => match byte {
                    b'0'..=b'9' => Reading::Number(value - i32::from(b'0')),
                    b'a'..=b'z' => Reading::Word(value),
                    b'#' => Reading::Comment,
                    _ => {
                        hash = hash.wrapping_add(match byte {
                            b'+' => 1,
                            b'*' => 2,
                            b'\n' => 1000,
                            _ => 0,
                        });
                        Reading::Nothing
                    }
                },
                Reading::Number(number) => match byte {
                    b'0'..=b'9' => {
                        let digit = value - i32::from(b'0');
                        Reading::Number(number.wrapping_mul(10).wrapping_add(digit))
                    }
                    _ => {
                        hash = hash.wrapping_mul(7).wrapping_add(number);
                        Reading::Nothing
                    }
                },
                Reading::Word(word) => match byte {
                    b'a'..=b'z' => Reading::Word(word.wrapping_mul(131).wrapping_add(value)),
                    _ => {
                        hash ^= word;
                        Reading::Nothing
                    }
                },
                Reading::Comment if byte == b'\n' => Reading::Nothing,
                Reading::Comment => Reading::Comment,
            };
        }
        hash
    }
}

/// Greatest divisors, as in `Divisors.java`.
#[derive(Clone, Debug)]
pub struct Divisors {
    from: i32,
}

impl Divisors {
    /// Creates the state.
    #[must_use]
    pub fn init() -> Divisors {
        Divisors { from: 1000 }
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        let first = self.from + a;
        (first..first + b).map(greatest).sum()
    }
}

fn greatest(n: i32) -> i32 {
    let mut divisor = 2;
    while divisor <= n / divisor {
        if n % divisor == 0 {
            return n / divisor;
        }
        divisor += 1;
    }
    1
}
