//! The public kernels in safe Rust. Each does the same steps as its Java version in `Kernels.java`.

/// The data of the kernels.
#[derive(Clone, Debug)]
pub struct State {
    buf: [u8; 1500],
    pkt: [u8; 64],
    flags: [u8; 8192],
    table: [u32; 256],
    arr: [i32; 256],
}

impl State {
    /// Returns the data that `init` creates.
    #[must_use]
    pub fn init() -> State {
        let mut random = 12_345_u32;
        let buf = [(); 1500].map(|()| {
            random = lcg(random);
            (random >> 16) as u8
        });
        let table = std::array::from_fn(|index| (0..8).fold(index as u32, |crc, _| crc_step(crc)));
        let mut pkt: [u8; 64] = std::array::from_fn(|index| (index * 7 + 3) as u8);
        pkt[12..15].copy_from_slice(&[8, 0, 0x45]);
        pkt[22..26].copy_from_slice(&[64, 17, 0, 0]);
        let sum = !fold(sum_of_words(&pkt[14..34]));
        pkt[24..26].copy_from_slice(&(sum as u16).to_be_bytes());
        State {
            buf,
            pkt,
            flags: [0; 8192],
            table,
            arr: [0; 256],
        }
    }
}

const fn lcg(random: u32) -> u32 {
    random.wrapping_mul(1_103_515_245).wrapping_add(12_345)
}

const fn crc_step(crc: u32) -> u32 {
    (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
}

fn sum_of_words(bytes: &[u8]) -> u32 {
    let words = bytes.chunks_exact(2);
    words
        .map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])))
        .sum()
}

const fn fold(sum: u32) -> u32 {
    let sum = (sum & 0xffff) + (sum >> 16);
    (sum & 0xffff) + (sum >> 16)
}

/// Does nothing, to measure the cost of a call.
pub fn nullcall(_: &mut State, a: i32, _: i32) -> i32 {
    a
}

/// The internet checksum of `b` bytes.
pub fn checksum(state: &mut State, a: i32, b: i32) -> i32 {
    let bytes = &mut state.buf;
    bytes[0] = a as u8;
    let mut sum = 0;
    for position in (0..b as usize).step_by(2) {
        sum += (u32::from(bytes[position]) << 8) | u32::from(bytes[position + 1]);
    }
    (!fold(sum) & 0xffff) as i32
}

/// CRC-32 of `b` bytes, bit by bit.
pub fn crc32(state: &mut State, a: i32, b: i32) -> i32 {
    let bytes = &mut state.buf[..b as usize];
    bytes[0] = a as u8;
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| crc_step(crc))
    });
    !crc as i32
}

/// CRC-32 of `b` bytes, by table.
pub fn crc32t(state: &mut State, a: i32, b: i32) -> i32 {
    let bytes = &mut state.buf[..b as usize];
    bytes[0] = a as u8;
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (crc >> 8) ^ state.table[usize::from(crc as u8 ^ byte)]
    });
    !crc as i32
}

/// The number of primes below `b`.
pub fn sieve(state: &mut State, a: i32, b: i32) -> i32 {
    let flags = &mut state.flags[..b as usize];
    flags.fill(1);
    flags[0] = a as u8;
    let mut count = 0;
    for number in 2..flags.len() {
        if flags[number] != 0 {
            count += 1;
            let mut multiple = number + number;
            while multiple < flags.len() {
                flags[multiple] = 0;
                multiple += number;
            }
        }
    }
    count
}

/// The Fibonacci number with index `b`.
pub fn fib(_: &mut State, _: i32, b: i32) -> i32 {
    fn of(n: i32) -> i32 {
        if n < 2 {
            return n;
        }
        of(n - 1).wrapping_add(of(n - 2))
    }
    of(b)
}

/// One step of forwarding an IPv4 packet in a frame of `b` bytes.
pub fn fwd(state: &mut State, _: i32, b: i32) -> i32 {
    let packet = &mut state.pkt;
    if b < 34 || packet[12] != 8 || packet[13] != 0 || packet[14] >> 4 != 4 {
        return 0;
    }
    let header = i32::from(packet[14] & 15) << 2;
    if header < 20 || header + 14 > b {
        return 0;
    }
    let ttl = u32::from(packet[22]);
    let (verdict, ttl_left) = if ttl <= 1 {
        (0x20000, 64)
    } else {
        (0x10000, ttl - 1)
    };
    packet[22] = ttl_left as u8;
    let protocol = u32::from(packet[23]);
    let before = (ttl << 8) | protocol;
    let after = (ttl_left << 8) | protocol;
    let sum = u32::from(u16::from_be_bytes([packet[24], packet[25]]));
    let sum = !fold((!sum & 0xffff) + (!before & 0xffff) + after) & 0xffff;
    packet[24..26].copy_from_slice(&(sum as u16).to_be_bytes());
    for position in 0..6 {
        packet.swap(position, position + 6);
    }
    (verdict | sum) as i32
}

/// Sorts `b` numbers drawn from seed `a` by insertion and returns a hash of them.
pub fn sort(state: &mut State, a: i32, b: i32) -> i32 {
    let values = &mut state.arr[..b as usize];
    let mut random = a as u32;
    for value in values.iter_mut() {
        random = lcg(random);
        *value = (random >> 8) as i32;
    }
    for position in 1..values.len() {
        let value = values[position];
        let mut free = position;
        while free > 0 && values[free - 1] > value {
            values[free] = values[free - 1];
            free -= 1;
        }
        values[free] = value;
    }
    let hash = |hash: i32, value: &i32| hash.wrapping_mul(31).wrapping_add(*value);
    values.iter().fold(0, hash)
}
