//! SHA-256 (FIPS 180-4). Golden traces show the digest in place of a long payload; `sha256sum` gives the same digits.

use std::fmt;

/// Bytes of a block.
const BLOCK: usize = 64;

/// Rounds for each block.
const ROUNDS: usize = 64;

/// First 32 bits of the fractional parts of the cube roots of the first 64 primes (§4.2.2).
const K: [u32; ROUNDS] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// First 32 bits of the fractional parts of the square roots of the first 8 primes (§5.3.3).
const INITIAL: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// The digest of a message, shown in hexadecimal.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Sha256([u32; 8]);

impl Sha256 {
    /// Returns the digest of these bytes.
    pub(super) fn of(bytes: impl Iterator<Item = u8>) -> Sha256 {
        let mut state = INITIAL;
        let mut block = [0; BLOCK];
        let (mut filled, mut length) = (0, 0_u64);
        for byte in bytes {
            block[filled] = byte;
            filled += 1;
            length += 1;
            if filled == BLOCK {
                compress(&mut state, &block);
                filled = 0;
            }
        }
        // Padding (§5.1.1): a 1 bit, zeros, and the length in bits in the last eight bytes of a block.
        block[filled] = 0x80;
        block[filled + 1..].fill(0);
        if filled >= BLOCK - size_of::<u64>() {
            compress(&mut state, &block);
            block.fill(0);
        }
        let bits = length.wrapping_mul(8);
        block[BLOCK - size_of::<u64>()..].copy_from_slice(&bits.to_be_bytes());
        compress(&mut state, &block);
        Sha256(state)
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|word| write!(f, "{word:08x}"))
    }
}

/// Updates the state with one block (§6.2.2).
fn compress(state: &mut [u32; 8], block: &[u8; BLOCK]) {
    let mut schedule = [0_u32; ROUNDS];
    let (words, _) = block.as_chunks::<4>();
    for (word, bytes) in schedule.iter_mut().zip(words) {
        *word = u32::from_be_bytes(*bytes);
    }
    for t in words.len()..ROUNDS {
        let [a, b] = [schedule[t - 15], schedule[t - 2]];
        let small0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let small1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        schedule[t] = schedule[t - 16]
            .wrapping_add(small0)
            .wrapping_add(schedule[t - 7])
            .wrapping_add(small1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in schedule.iter().zip(K) {
        let big1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = h
            .wrapping_add(big1)
            .wrapping_add(choice)
            .wrapping_add(constant)
            .wrapping_add(*word);
        let big0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = big0.wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (word, new) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standards_examples() {
        // The examples of FIPS 180-2, appendix B, NIST's example of a million letters, and the digest of no bytes.
        let of = |bytes: &[u8]| Sha256::of(bytes.iter().copied()).to_string();
        assert_eq!(
            of(b""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(
            of(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            of(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
        assert_eq!(
            of(&[b'a'; 1_000_000]),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        );
    }

    #[test]
    fn messages_that_leave_no_room_for_their_length_take_another_block() {
        // Expected digests are from `sha256sum`. 55 bytes fit in one block with their length; 56 and 64 need two.
        let zeros = |count| Sha256::of(std::iter::repeat_n(0, count)).to_string();
        assert_eq!(
            zeros(55),
            "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"
        );
        assert_eq!(
            zeros(56),
            "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"
        );
        assert_eq!(
            zeros(64),
            "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"
        );
    }
}
