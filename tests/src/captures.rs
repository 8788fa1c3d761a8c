//! Makes captures, pcap and pcapng, of every kind of block, option, order, unit and length.
//!
//! The tests of `jive` include this file too. It writes bytes by itself, so that no library's opinion of a format is
//! tested against itself.

use nic_core::random::Generator;

/// A packet of a generated capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The time in picoseconds. A simple packet block has none.
    pub at: Option<i128>,
    /// Whether the unit of the time is so small that tshark 4.0 shows a wrong time. Its product of the unit and the
    /// nanoseconds of a second overflows 64 bits.
    pub is_fine: bool,
    /// The number of the link type.
    pub link: u16,
    /// The bytes in the capture.
    pub bytes: Vec<u8>,
}

/// A generated capture.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    /// The file.
    pub file: Vec<u8>,
    /// The packets that can be read.
    pub packets: Vec<Packet>,
    /// Whether the capture ends in the middle of a block.
    pub is_damaged: bool,
    /// The captured and the original length of a packet behind the others, of which only the beginning was captured.
    pub cut: Option<(u32, u32)>,
}

/// What a capture may be.
#[derive(Copy, Clone, Debug)]
pub struct Shape {
    /// Maximum number of bytes of most packets.
    pub length_max: u64,
    /// Whether a few packets have the maximum of 262,144 bytes.
    pub has_longest: bool,
    /// Whether all packets have one link type, and each is later than the packet before.
    pub is_plain: bool,
}

impl Shape {
    /// Anything that tshark reads.
    pub const ANY: Shape = Shape {
        length_max: 1_600,
        has_longest: true,
        is_plain: false,
    };

    /// What an applet receives as it is in the capture.
    pub const PLAIN: Shape = Shape {
        length_max: 1_000,
        has_longest: false,
        is_plain: true,
    };
}

/// The link types, each with the number by which tshark 4.0 calls it. None of them has a header that tshark takes off.
pub const LINKS: [(u16, u16); 9] = [
    (1, 1),
    (101, 7),
    (0, 15),
    (105, 20),
    (113, 25),
    (147, 45),
    (162, 60),
    (228, 129),
    (229, 130),
];

/// The largest packet that tshark reads.
const LONGEST: u64 = 262_144;

const PICOSECONDS: u128 = 1_000_000_000_000;

/// Makes a section of a pcapng file, which is also a whole file.
#[must_use]
pub fn section(seed: u64, shape: Shape) -> Capture {
    let mut maker = Maker::new(seed, "section", shape);
    maker.section();
    maker.made
}

/// Makes a section of a pcapng file whose end may be missing, or whose last packet was cut when it was captured.
#[must_use]
pub fn last_section(seed: u64, shape: Shape) -> Capture {
    let mut maker = Maker::new(seed, "last", shape);
    maker.section();
    match maker.below(4) {
        0 => maker.truncate(28),
        1 => maker.cut_packet(),
        _ => {}
    }
    maker.made
}

/// Makes a pcap file, in a quarter of the cases with a missing end or a cut packet.
#[must_use]
pub fn classic(seed: u64, shape: Shape) -> Capture {
    let mut maker = Maker::new(seed, "classic", shape);
    maker.classic();
    maker.made
}

struct Maker {
    random: Generator,
    shape: Shape,
    made: Capture,
    is_big: bool,
    interfaces: Vec<Interface>,
    /// The time of the last packet in seconds, and the picoseconds of a second.
    now: (u64, u128),
    /// The only link type of a plain capture.
    link: u16,
    /// The only resolution of a plain capture.
    resolution: u8,
    /// Where each block of the section begins, and how many packets precede it.
    starts: Vec<(usize, usize)>,
}

#[derive(Copy, Clone)]
struct Interface {
    link: u16,
    snaplen: u32,
    resolution: u8,
    offset: i64,
}

impl Maker {
    fn new(seed: u64, kind: &str, shape: Shape) -> Maker {
        let mut maker = Maker {
            random: Generator::named(seed, &["captures", kind]),
            shape,
            made: Capture::default(),
            is_big: false,
            interfaces: Vec::new(),
            now: (0, 0),
            link: 0,
            resolution: 0,
            starts: Vec::new(),
        };
        maker.now.0 = maker.below(1 << 31);
        maker.link = maker.pick(&LINKS).0;
        maker.resolution = maker.pick(&[3, 6, 9, 0x8a, 0x94, 0x9e]);
        maker
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random.draw() % limit
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn bytes(&mut self, length: u64) -> Vec<u8> {
        let mut bytes = vec![0; length as usize];
        self.random.fill(&mut bytes);
        bytes
    }

    /// Writes the lowest bytes of a number in the byte order of the section.
    fn number(&self, value: u64, width: usize) -> Vec<u8> {
        let mut bytes = value.to_le_bytes()[..width].to_vec();
        if self.is_big {
            bytes.reverse();
        }
        bytes
    }

    fn words(&self, words: &[u32]) -> Vec<u8> {
        let words = words.iter().map(|word| self.number(u64::from(*word), 4));
        words.collect::<Vec<_>>().concat()
    }

    fn section(&mut self) {
        self.is_big = self.one_in(2);
        let minor = self.pick(&[0, 0, 2]);
        let options = self.options(&[(2, None), (3, None), (4, None)], Vec::new());
        let mut body = self.words(&[0x1a2b_3c4d]);
        body.extend(
            [
                self.number(1, 2),
                self.number(minor, 2),
                self.number(u64::MAX, 8),
            ]
            .concat(),
        );
        body.extend(options);
        self.block(0x0a0d_0d0a, body);
        for _ in 0..self.below(3) {
            self.other_block();
        }
        for _ in 0..1 + self.below(3) {
            self.interface();
        }
        for _ in 0..self.below(12) {
            match self.below(10) {
                0..4 => self.enhanced(),
                4 | 5 => self.simple(),
                6 => self.obsolete(),
                7 => self.interface(),
                _ => self.other_block(),
            }
        }
    }

    fn block(&mut self, kind: u32, body: Vec<u8>) {
        self.block_of_length(kind, body, 0);
    }

    /// Adds a block whose length leaves some padding out.
    fn block_of_length(&mut self, kind: u32, mut body: Vec<u8>, left_out: usize) {
        self.starts
            .push((self.made.file.len(), self.made.packets.len()));
        body.resize(body.len().next_multiple_of(4), 0);
        let length = (body.len() + 12 - left_out) as u32;
        let around = [self.words(&[kind, length]), body, self.words(&[length])];
        self.made.file.extend(around.concat());
    }

    /// Makes the options of a block: those that must be there, some of the known ones, comments, custom and unknown ones.
    /// The end of the options may be missing.
    fn options(&mut self, known: &[(u16, Option<u64>)], must: Vec<(u16, Vec<u8>)>) -> Vec<u8> {
        let mut options = must;
        for _ in 0..self.pick(&[0, 0, 1, 3]) {
            let option = match self.below(6) {
                0 => (1, self.text()),
                1 => {
                    let code = self.pick(&[2_988, 2_989, 19_372, 19_373]);
                    let text = self.text();
                    (code, [self.words(&[32_473]), text].concat())
                }
                2 => {
                    let length = self.below(9);
                    (self.pick(&[999, 40_000, 0xffff]), self.bytes(length))
                }
                _ => match self.pick(known) {
                    (code, Some(length)) => (code, self.bytes(length)),
                    (code, None) => (code, self.text()),
                },
            };
            let place = self.below(options.len() as u64 + 1) as usize;
            options.insert(place, option);
        }
        let mut bytes = Vec::new();
        for (code, value) in &options {
            bytes.extend(self.number(u64::from(*code), 2));
            bytes.extend(self.number(value.len() as u64, 2));
            bytes.extend(value);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        // The options may end with the block.
        if self.one_in(2) {
            bytes.extend([0; 4]);
        }
        bytes
    }

    /// Returns text in UTF-8 or in Latin-1, with or without a zero at its end.
    fn text(&mut self) -> Vec<u8> {
        let texts: [&[u8]; 7] = [
            b"",
            b"x",
            b"caf\xe9",
            b"caf\xc3\xa9",
            b"end\0",
            b"\xff\xfe\xfd",
            &[b'a'; 300],
        ];
        self.pick(&texts).to_vec()
    }

    fn interface(&mut self) {
        let link = match self.shape.is_plain {
            true => self.link,
            false => self.pick(&LINKS).0,
        };
        let snaplen = match self.below(4) {
            0 => self.below(100) as u32 + 1,
            1 => 65_535,
            2 => 0,
            _ => 262_144,
        };
        let mut must = Vec::new();
        let resolution = match self.below(8) {
            // Units of several lengths would exchange the order of packets.
            _ if self.shape.is_plain => self.resolution,
            0 | 1 => 6,
            2 | 3 => 9,
            4 => self.below(20) as u8,
            5 => 0x80 | self.below(64) as u8,
            6 => self.pick(&[0, 3, 12, 0x80, 0x8a, 0x9e, 0xa0]),
            _ => self.random.draw() as u8,
        };
        if resolution != 6 || self.one_in(2) {
            must.push((9, vec![resolution]));
            // A second one does not count, nor does one of another length.
            match self.below(6) {
                0 => must.push((9, vec![3])),
                1 => must.insert(0, (9, vec![1, 0, 0, 0])),
                _ => {}
            }
        }
        let mut offset = 0_i64;
        if self.one_in(4) && !self.shape.is_plain {
            offset = self.pick(&[1, -1, -1_000_000_000, 1 << 33, -3_600]);
            must.push((14, self.number(offset.cast_unsigned(), 8)));
        }
        if self.one_in(4) {
            must.push((10, self.number(3_600, 4)));
        }
        let known = [
            (2, None),
            (3, None),
            (4, Some(8)),
            (5, Some(17)),
            (6, Some(6)),
            (7, Some(8)),
            (8, Some(8)),
            (12, None),
            (13, Some(1)),
            (15, None),
            (16, Some(8)),
            (17, Some(8)),
        ];
        let options = self.options(&known, must);
        let reserved = self.pick(&[0, 0, 0, 7]);
        let mut body = [self.number(u64::from(link), 2), self.number(reserved, 2)].concat();
        body.extend(self.words(&[snaplen]));
        body.extend(options);
        self.block(1, body);
        self.interfaces.push(Interface {
            link,
            snaplen,
            resolution,
            offset,
        });
    }

    fn payload(&mut self) -> Vec<u8> {
        let length = match self.below(12) {
            0 => 0,
            1 => 1,
            2..6 => self.below(70),
            6 if self.shape.has_longest && self.one_in(60) => {
                self.pick(&[LONGEST, LONGEST - 1, 65_536])
            }
            _ => self.below(self.shape.length_max),
        };
        self.bytes(length)
    }

    /// Moves the time on, or anywhere, and returns it as seconds and picoseconds.
    fn later(&mut self) -> (u64, u128) {
        let (seconds, part) = &mut self.now;
        let draw = self.random.draw();
        match draw % 6 {
            // A NIC takes one packet after the other, so packets that follow at once arrive later.
            _ if self.shape.is_plain => {
                *part += PICOSECONDS / 100 + u128::from(draw % 1_000_000_000_000)
            }
            0 => {}
            1 => *part += 1_000,
            2 => *part += 1_000_000,
            3 => *part += u128::from(draw % 1_000_000_007) * 1_000,
            4 => *seconds += draw % 10_000,
            _ => *seconds = draw % (1 << 31),
        }
        *seconds += (*part / PICOSECONDS) as u64;
        *part %= PICOSECONDS;
        self.now
    }

    /// Draws the time of a packet in the unit of its interface.
    fn count(&mut self, interface: Interface) -> u64 {
        let (seconds, part) = self.later();
        let exponent = u32::from(interface.resolution & 0x7f);
        let units = match interface.resolution & 0x80 {
            0 => 10_u128.checked_pow(exponent),
            _ => 1_u128.checked_shl(exponent),
        };
        // Units too small for the time since 1970 take any count.
        let count = units.and_then(|units| {
            let whole = units.checked_mul(u128::from(seconds))?;
            let part = units.checked_mul(part)? / PICOSECONDS;
            u64::try_from(whole + part).ok()
        });
        count.unwrap_or_else(|| self.random.draw() >> 1)
    }

    fn timed(&mut self, interface: Interface, count: u64, bytes: Vec<u8>) {
        let exponent = u32::from(interface.resolution & 0x7f);
        let product = u128::from(count) * PICOSECONDS;
        let since = match interface.resolution & 0x80 {
            0 => 10_u128
                .checked_pow(exponent)
                .map_or(0, |units| product / units),
            _ => product >> exponent,
        };
        let is_fine = match interface.resolution & 0x80 {
            0 => exponent > 10,
            _ => exponent > 34,
        };
        let offset = i128::from(interface.offset) * PICOSECONDS.cast_signed();
        self.made.packets.push(Packet {
            at: Some(since.cast_signed() + offset),
            is_fine,
            link: interface.link,
            bytes,
        });
    }

    /// Returns the original length that a block states of a packet whose bytes are all there.
    fn stated(&mut self, length: usize) -> u32 {
        match self.one_in(20) {
            true => self.below(length as u64 + 1) as u32,
            false => length as u32,
        }
    }

    fn enhanced(&mut self) {
        let index = self.below(self.interfaces.len() as u64) as usize;
        let interface = self.interfaces[index];
        let (bytes, count) = (self.payload(), self.count(interface));
        let stated = self.stated(bytes.len());
        let known = [
            (2, Some(4)),
            (3, Some(5)),
            (4, Some(8)),
            (5, Some(8)),
            (6, Some(4)),
        ];
        let mut options = self.options(&known, Vec::new());
        let fields = [
            index as u32,
            (count >> 32) as u32,
            count as u32,
            bytes.len() as u32,
            stated,
        ];
        let mut body = self.words(&fields);
        body.extend(&bytes);
        let padding = body.len().next_multiple_of(4) - body.len();
        body.resize(body.len() + padding, 0);
        // Some programs state a length without the padding, if no option follows it.
        let left_out = match self.one_in(10) {
            true => padding,
            false => 0,
        };
        if left_out > 0 {
            options.clear();
        }
        body.extend(options);
        self.block_of_length(6, body, left_out);
        self.timed(interface, count, bytes);
    }

    fn obsolete(&mut self) {
        let index = self.below(self.interfaces.len() as u64) as usize;
        let interface = self.interfaces[index];
        let (bytes, count) = (self.payload(), self.count(interface));
        let stated = self.stated(bytes.len());
        let options = self.options(&[(2, Some(4)), (3, Some(5))], Vec::new());
        let mut body = [self.number(index as u64, 2), self.number(0xffff, 2)].concat();
        let fields = [
            (count >> 32) as u32,
            count as u32,
            bytes.len() as u32,
            stated,
        ];
        body.extend(self.words(&fields));
        body.extend(&bytes);
        body.resize(body.len().next_multiple_of(4), 0);
        body.extend(options);
        self.block(2, body);
        self.timed(interface, count, bytes);
    }

    fn simple(&mut self) {
        let Interface { link, snaplen, .. } = self.interfaces[0];
        let mut bytes = self.payload();
        if snaplen > 0 {
            bytes.truncate(snaplen as usize);
        }
        let body = [self.words(&[bytes.len() as u32]), bytes.clone()].concat();
        self.block(3, body);
        self.made.packets.push(Packet {
            at: None,
            is_fine: false,
            link,
            bytes,
        });
    }

    /// Adds a block that holds no packet.
    fn other_block(&mut self) {
        let (draw, rest) = (self.below(8), self.below(40));
        let any = self.bytes(rest);
        match draw {
            0 => {
                // Names of addresses, the end of the names, then options.
                let mut body = Vec::new();
                for (kind, length) in [(1, 4), (2, 16)] {
                    let record = [self.bytes(length), b"name\0".to_vec()].concat();
                    body.extend(self.number(kind, 2));
                    body.extend(self.number(record.len() as u64, 2));
                    body.extend(record);
                    body.resize(body.len().next_multiple_of(4), 0);
                }
                body.extend([0; 4]);
                body.extend(self.options(&[(2, None), (3, Some(4)), (4, Some(16))], Vec::new()));
                self.block(4, body);
            }
            1 => {
                let known = [2, 3, 4, 5, 6, 7, 8].map(|code| (code, Some(8)));
                let options = self.options(&known, Vec::new());
                let body = [self.words(&[0, 4, 5]), options].concat();
                self.block(5, body);
            }
            2 => {
                let kind = self.pick(&[0x544c_534b, 0x5747_4b4c, 0x1234_5678]);
                let body = [self.words(&[kind, any.len() as u32]), any].concat();
                self.block(10, body);
            }
            3 => {
                let entry = b"__REALTIME_TIMESTAMP=1404101101501874\nMESSAGE=written by no one\n";
                self.block(9, entry.to_vec());
            }
            4 => {
                let kind = self.pick(&[0x0bad, 0x4000_0bad]);
                let body = [self.words(&[32_473]), any].concat();
                self.block(kind, body);
            }
            5 if self.one_in(400) => {
                let long = vec![7; (8 << 20) + 12];
                self.block(0x7777_7777, long);
            }
            _ => {
                let kinds = [0, 7, 8, 0x7777_7777, 0x8000_0001, 0xffff_ffff];
                let kind = self.pick(&kinds);
                self.block(kind, any);
            }
        }
    }

    /// Takes some of the last bytes off, but leaves the first ones.
    fn truncate(&mut self, first: usize) {
        let length = self.made.file.len();
        if length <= first + 1 {
            return;
        }
        let at = first + 1 + self.below((length - first - 1) as u64) as usize;
        let whole = self.starts.iter().rev();
        let Some((start, packets)) = whole.copied().find(|(start, _)| *start <= at) else {
            return;
        };
        self.made.file.truncate(at);
        self.made.packets.truncate(packets);
        self.made.is_damaged = start < at;
    }

    /// Adds a packet of which only the beginning was captured.
    fn cut_packet(&mut self) {
        let Interface { snaplen, .. } = self.interfaces[0];
        if snaplen > 0 && self.one_in(2) {
            let length = snaplen + 1 + self.below(100) as u32;
            let bytes = self.bytes(snaplen.min(2_000).into());
            if bytes.len() < snaplen as usize {
                return;
            }
            let body = [self.words(&[length]), bytes].concat();
            self.block(3, body);
            self.made.cut = Some((snaplen, length));
        } else {
            let bytes = self.payload();
            let length = bytes.len() as u32 + 1 + self.below(100) as u32;
            let fields = [0, 0, 0, bytes.len() as u32, length];
            let body = [self.words(&fields), bytes.clone()].concat();
            self.block(6, body);
            self.made.cut = Some((bytes.len() as u32, length));
        }
    }

    fn classic(&mut self) {
        self.is_big = self.one_in(2);
        // A magic number, the picoseconds of the unit, and the additional bytes of a record.
        let variant = self.pick(&[
            (0xa1b2_c3d4, 1_000_000, 0),
            (0xa1b2_c3d4, 1_000_000, 0),
            (0xa1b2_3c4d, 1_000, 0),
            (0xa1b2_cd34, 1_000_000, 8),
            (0xa1b2_cd34, 1_000_000, 12),
        ]);
        let (magic, unit, extra): (u32, u128, usize) = variant;
        // Only the plain format had other versions, some of which exchange the two lengths.
        let (major, minor, is_exchanged) = match magic {
            0xa1b2_c3d4 => self.pick(&[
                (2, 4, false),
                (2, 4, false),
                (2, 0, true),
                (2, 2, true),
                (2, 3, false),
                (2, 3, true),
                (2, 5, false),
                (543, 0, true),
            ]),
            _ => (2, 4, false),
        };
        let link = self.link;
        let network = u32::from(link)
            | self.pick(&[0, 0, 0x2400_0000, 0x2000_0000, 0x0800_0000, 0x1400_0000]);
        let mut file = self.words(&[magic]);
        file.extend([self.number(major, 2), self.number(minor, 2)].concat());
        file.extend(self.words(&[0, 0, 262_144, network]));
        self.made.file = file;
        let first = self.made.file.len();
        let count = self.below(40);
        let is_cut = count > 0 && self.one_in(8);
        for index in 0..count {
            self.starts
                .push((self.made.file.len(), self.made.packets.len()));
            let (seconds, part) = self.later();
            let mut part = part / unit;
            if magic == 0xa1b2_3c4d && !self.shape.is_plain && self.one_in(30) {
                // More than a second, which the format does not forbid.
                part += PICOSECONDS / unit;
            }
            let bytes = self.payload();
            let is_last = is_cut && index == count - 1;
            let original = bytes.len() as u32 + if is_last { 7 } else { 0 };
            let mut lengths = [bytes.len() as u32, original];
            if is_exchanged {
                lengths.reverse();
            }
            let mut record = self.words(&[seconds as u32, part as u32, lengths[0], lengths[1]]);
            if extra > 0 {
                record.extend(self.words(&[3]));
                record.extend(self.number(0x0800, 2));
                record.push(0);
                record.resize(16 + extra, 0);
            }
            self.made.file.extend(record);
            self.made.file.extend(&bytes);
            if is_last {
                self.made.cut = Some((bytes.len() as u32, original));
            } else {
                let at = u128::from(seconds) * PICOSECONDS + part * unit;
                self.made.packets.push(Packet {
                    at: Some(at.cast_signed()),
                    is_fine: false,
                    link,
                    bytes,
                });
            }
        }
        self.starts
            .push((self.made.file.len(), self.made.packets.len()));
        // Without whole records, tshark cannot tell the two versions of the patch apart.
        if !is_cut && extra == 0 && self.one_in(8) {
            self.truncate(first);
        }
    }
}
