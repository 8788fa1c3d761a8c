//! The held-out programs in safe Rust. Each does the same steps as its Java version in `programs`.

/// Base64, as in `Base64.java`.
#[derive(Clone, Debug)]
pub struct Base64 {
    plain: [u8; 192],
    text: [u8; 256],
    back: [u8; 192],
    letters: [u8; 64],
    values: [u8; 128],
}

impl Base64 {
    /// Creates the state.
    #[must_use]
    pub fn init() -> Base64 {
        let letters = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut values = [0; 128];
        for (value, letter) in (0_u8..).zip(letters) {
            values[usize::from(letter)] = value;
        }
        let mut plain = [0; 192];
        for (i, byte) in (0_u32..).zip(&mut plain) {
            *byte = (i * 167 + 13) as u8;
        }
        Base64 {
            plain,
            text: [0; 256],
            back: [0; 192],
            letters,
            values,
        }
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        self.plain[(a & 127) as usize] = a as u8;
        let length = self.encode(b as usize);
        let decoded = self.decode(length);
        let mut hash = length as i32;
        for i in 0..decoded {
            if self.back[i] != self.plain[i] {
                return -1;
            }
            hash = hash.wrapping_mul(31).wrapping_add(self.text[i].into());
        }
        hash
    }

    fn encode(&mut self, length: usize) -> usize {
        let (mut i, mut out) = (0, 0);
        while i + 2 < length {
            let byte = |k: usize| u32::from(self.plain[i + k]);
            let group = byte(0) << 16 | byte(1) << 8 | byte(2);
            for shift in [18, 12, 6, 0] {
                self.text[out] = self.letters[(group >> shift & 63) as usize];
                out += 1;
            }
            i += 3;
        }
        out
    }

    fn decode(&mut self, length: usize) -> usize {
        let (mut i, mut out) = (0, 0);
        while i + 3 < length {
            let mut group = 0_u32;
            for k in 0..4 {
                group = group << 6 | u32::from(self.values[usize::from(self.text[i + k])]);
            }
            for shift in [16, 8, 0] {
                self.back[out] = (group >> shift) as u8;
                out += 1;
            }
            i += 4;
        }
        out
    }
}

/// XTEA, as in `Xtea.java`.
#[derive(Clone, Debug)]
pub struct Xtea {
    key: [u32; 4],
    data: [u32; 32],
}

impl Xtea {
    /// Creates the state.
    #[must_use]
    pub fn init() -> Xtea {
        Xtea {
            key: [1, 2, 3, 4].map(|i| 0x0123_4567_u32.wrapping_mul(i)),
            data: std::array::from_fn(|i| i as u32 * 0x10001),
        }
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        const DELTA: u32 = 0x9e37_79b9;
        let (mut left, mut right) = (a as u32, !a as u32);
        let mut i = 0;
        while i + 1 < b as usize {
            left ^= self.data[i];
            right ^= self.data[i + 1];
            let mut sum = 0_u32;
            for _ in 0..32 {
                let mixed = (right << 4 ^ right >> 5).wrapping_add(right);
                left = left.wrapping_add(mixed ^ sum.wrapping_add(self.key[(sum & 3) as usize]));
                sum = sum.wrapping_add(DELTA);
                let mixed = (left << 4 ^ left >> 5).wrapping_add(left);
                let key = self.key[(sum >> 11 & 3) as usize];
                right = right.wrapping_add(mixed ^ sum.wrapping_add(key));
            }
            self.data[i] = left;
            self.data[i + 1] = right;
            i += 2;
        }
        (left ^ right) as i32
    }
}

/// Elias gamma code, as in `Gamma.java`.
#[derive(Clone, Debug)]
pub struct Gamma {
    bits: [u8; 1024],
    place: usize,
}

impl Gamma {
    /// Creates the state.
    #[must_use]
    pub fn init() -> Gamma {
        Gamma {
            bits: [0; 1024],
            place: 0,
        }
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        self.place = 0;
        let mut seed = a as u32;
        for _ in 0..b {
            seed = seed.wrapping_mul(69069).wrapping_add(1);
            self.write((seed >> 22) + 1);
        }
        let end = self.place;
        self.place = 0;
        let mut hash = end as i32;
        while self.place < end {
            hash = hash.wrapping_mul(31) ^ self.read() as i32;
        }
        hash
    }

    fn write(&mut self, value: u32) {
        let mut width = 0;
        while value >> (width + 1) != 0 {
            width += 1;
        }
        for _ in 0..width {
            self.put(0);
        }
        for i in (0..=width).rev() {
            self.put(value >> i & 1);
        }
    }

    fn read(&mut self) -> u32 {
        let mut width = 0;
        while self.get() == 0 {
            width += 1;
        }
        let mut value = 1;
        for _ in 0..width {
            value = value << 1 | self.get();
        }
        value
    }

    fn put(&mut self, bit: u32) {
        let mask = 0x80 >> (self.place & 7);
        let byte = &mut self.bits[self.place >> 3];
        *byte = if bit != 0 {
            *byte | mask
        } else {
            *byte & !mask
        };
        self.place += 1;
    }

    fn get(&mut self) -> u32 {
        let bit = self.bits[self.place >> 3] >> (7 - (self.place & 7)) & 1;
        self.place += 1;
        bit.into()
    }
}

/// Longest-prefix match, as in `Routes.java`.
#[derive(Clone, Debug)]
pub struct Routes {
    /// Each node has three numbers: the child for 0, the child for 1, and the route or 0.
    nodes: Vec<u32>,
    used: u32,
}

impl Routes {
    /// Creates the state.
    #[must_use]
    pub fn init() -> Routes {
        let mut routes = Routes {
            nodes: vec![0; 6144],
            used: 1,
        };
        let mut random = 5_u32;
        let mut next = || {
            random = random.wrapping_mul(1_103_515_245).wrapping_add(12345);
            random
        };
        for route in 1..=64 {
            let length = 8 + (next() >> 28);
            routes.insert(next() & 0x0fff_ffff, length, route);
        }
        routes
    }

    fn insert(&mut self, prefix: u32, length: u32, route: u32) {
        let mut node = 0;
        for depth in 0..length {
            let child = (node * 3 + (prefix >> (31 - depth) & 1)) as usize;
            if self.nodes[child] == 0 {
                self.nodes[child] = self.used;
                self.used += 1;
            }
            node = self.nodes[child];
        }
        self.nodes[(node * 3 + 2) as usize] = route;
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        let mut sum = 0_i32;
        let mut address = (a as u32).wrapping_mul(0x0100_0193);
        for _ in 0..b {
            address = address.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let route = self.lookup(address & 0x0fff_ffff);
            sum = sum.wrapping_mul(31).wrapping_add(route as i32);
        }
        sum
    }

    fn lookup(&self, address: u32) -> u32 {
        let (mut node, mut route) = (0, 0);
        for depth in 0..32 {
            node = self.nodes[(node * 3 + (address >> (31 - depth) & 1)) as usize];
            if node == 0 {
                return route;
            }
            let here = self.nodes[(node * 3 + 2) as usize];
            if here != 0 {
                route = here;
            }
        }
        route
    }
}

/// Edit distance, as in `Distance.java`.
#[derive(Clone, Debug)]
pub struct Distance {
    one: [u8; 32],
    other: [u8; 32],
    above: Vec<i16>,
    row: Vec<i16>,
}

impl Distance {
    /// Creates the state.
    #[must_use]
    pub fn init() -> Distance {
        let (mut one, mut other) = ([0; 32], [0; 32]);
        let mut random = 17_u32;
        for (one, other) in one.iter_mut().zip(&mut other) {
            random = random.wrapping_mul(214_013).wrapping_add(2_531_011);
            *one = b'a' + (random >> 29) as u8;
            *other = b'a' + (random >> 26 & 7) as u8;
        }
        Distance {
            one,
            other,
            above: vec![0; 33],
            row: vec![0; 33],
        }
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        let length = b as usize;
        self.one[(a & 31) as usize] = b'a' + (a & 7) as u8;
        for (j, above) in (0..).zip(&mut self.above[..=length]) {
            *above = j;
        }
        for i in 1..=length {
            self.row[0] = i as i16;
            for j in 1..=length {
                let mut best = self.above[j - 1];
                if self.one[i - 1] != self.other[j - 1] {
                    best = best.min(self.above[j].min(self.row[j - 1])) + 1;
                }
                self.row[j] = best;
            }
            std::mem::swap(&mut self.above, &mut self.row);
        }
        self.above[length].into()
    }
}

/// Median of a moving window, as in `Median.java`.
#[derive(Clone, Debug)]
pub struct Median {
    samples: [i16; 256],
    window: [i16; 9],
}

impl Median {
    /// Creates the state.
    #[must_use]
    pub fn init() -> Median {
        let mut random = 3_u32;
        let samples = [(); 256].map(|()| {
            random = random.wrapping_mul(134_775_813).wrapping_add(1);
            (random >> 16) as i16
        });
        Median {
            samples,
            window: [0; 9],
        }
    }

    /// Runs one invocation.
    pub fn run(&mut self, a: i32, b: i32) -> i32 {
        self.samples[(a & 255) as usize] = a.wrapping_mul(251) as i16;
        let (mut held, mut hash) = (0, 0_i32);
        for i in 0..b as usize {
            if held == 9 {
                self.remove(self.samples[i - 9]);
                held -= 1;
            }
            self.insert(self.samples[i], held);
            held += 1;
            hash = hash
                .wrapping_mul(31)
                .wrapping_add(self.window[held >> 1].into());
        }
        hash
    }

    fn remove(&mut self, sample: i16) {
        let mut at = 0;
        while self.window[at] != sample {
            at += 1;
        }
        while at < 8 {
            self.window[at] = self.window[at + 1];
            at += 1;
        }
    }

    fn insert(&mut self, sample: i16, held: usize) {
        let mut at = held;
        while at > 0 && self.window[at - 1] > sample {
            self.window[at] = self.window[at - 1];
            at -= 1;
        }
        self.window[at] = sample;
    }
}
