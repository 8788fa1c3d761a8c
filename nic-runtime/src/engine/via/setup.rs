//! What the ends of a connection over remote memory tell each other when programs connect them (S5-15): the window of the
//! rings, and the first writes to the rings of the peer. These writes announce the receive descriptors that are posted,
//! so that neither end can send before it knows them.

use nic_core::remote::WindowId;

use crate::engine::remote::Writes;
use crate::ids::at;

/// Bytes before the bytes of each write: its offset and its length.
const HEAD: usize = 8;

/// Returns the bytes of a control packet that names the window of the sender's rings, and makes these writes to the
/// rings of its receiver.
pub(super) fn encode(control: WindowId, writes: &Writes) -> Vec<u8> {
    let mut bytes = control.0.to_be_bytes().to_vec();
    for write in &writes.0 {
        let length = u32::try_from(write.bytes.len()).unwrap_or(u32::MAX);
        bytes.extend(write.offset.to_be_bytes());
        bytes.extend(length.to_be_bytes());
        bytes.extend(&write.bytes);
    }
    bytes
}

/// Returns how many bytes a write adds to a control packet.
pub(super) fn takes(writes: &Writes) -> usize {
    let each = writes.0.iter().map(|write| HEAD + write.bytes.len());
    each.sum()
}

/// Reads the bytes of a control packet, and makes its writes to the rings in `own`. Returns the window of the peer's
/// rings. Bytes that name a place outside of the rings change nothing, and `None` is returned.
pub(super) fn apply(bytes: &[u8], own: &mut [u8]) -> Option<WindowId> {
    let (control, rest) = number(bytes)?;
    let writes = || Reader(rest);
    let fits = |write: Option<(usize, &[u8])>| {
        let (offset, bytes) = write?;
        own.get(offset..)?.get(..bytes.len()).map(|_| ())
    };
    if !writes().all(|write| fits(write).is_some()) {
        return None;
    }
    for (offset, bytes) in writes().flatten() {
        own[offset..offset + bytes.len()].copy_from_slice(bytes);
    }
    Some(WindowId(control))
}

/// The writes of a control packet; `None` stands for bytes that are no write.
struct Reader<'a>(&'a [u8]);

impl<'a> Iterator for Reader<'a> {
    type Item = Option<(usize, &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let read = || {
            let (offset, rest) = number(self.0)?;
            let (length, rest) = number(rest)?;
            let (bytes, rest) = rest.split_at_checked(at(length))?;
            Some(((at(offset), bytes), rest))
        };
        let read = read();
        self.0 = read.map_or(&[], |(_, rest)| rest);
        Some(read.map(|(write, _)| write))
    }
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_be_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use nic_core::remote::RemoteMemory;

    use super::*;

    #[test]
    fn a_set_up_is_applied_whole_or_not_at_all() {
        let mut writes = Writes::default();
        for (offset, bytes) in [(2, &[7, 8][..]), (0, &[1])] {
            writes.write(WindowId(9), offset, bytes).expect("no check");
        }
        let bytes = encode(WindowId(5), &writes);
        assert_eq!(bytes.len(), 4 + takes(&writes));
        let mut own = [0; 4];
        assert_eq!(apply(&bytes, &mut own), Some(WindowId(5)));
        assert_eq!(own, [1, 0, 7, 8]);
        // Every byte that is missing, and every byte of an offset or a length that is wrong, spoils the whole.
        let mut untouched = [0; 4];
        for length in (0..bytes.len()).filter(|length| ![4, 14].contains(length)) {
            assert_eq!(apply(&bytes[..length], &mut untouched), None, "{length}");
        }
        for place in (4..12).chain(14..22) {
            let mut forged = bytes.clone();
            forged[place] ^= 0x40;
            assert_eq!(apply(&forged, &mut untouched), None, "{place}");
        }
        assert_eq!(untouched, [0; 4]);
    }
}
