//! A plan as bytes, with all files that it needs: for a process on another machine.

use nic_runtime::scenario::InMemory;

/// The first bytes of a pack, with the version of its form.
const MAGIC: &[u8; 8] = b"JIVEPK\0\x01";

/// Returns a text and files as bytes: each behind its length, each file behind its name.
pub(super) fn pack(text: &str, files: &InMemory) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let mut put = |part: &[u8]| {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    };
    put(text.as_bytes());
    for (name, file) in files.iter() {
        put(name.as_bytes());
        put(file);
    }
    bytes
}

/// Returns the text and the files, or `None` if the bytes are no pack.
pub(super) fn unpack(bytes: &[u8]) -> Option<(&str, InMemory)> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let mut take = || {
        let (length, behind) = rest.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (part, behind) = behind.split_at_checked(length)?;
        rest = behind;
        Some((part, rest.is_empty()))
    };
    let (text, mut is_last) = take()?;
    let mut files = InMemory::default();
    while !is_last {
        let (name, _) = take()?;
        let (file, last) = take()?;
        files.add(std::str::from_utf8(name).ok()?, file);
        is_last = last;
    }
    Some((std::str::from_utf8(text).ok()?, files))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        for files in [
            InMemory::default(),
            InMemory::from([("a", ""), ("b/é", "bytes")]),
        ] {
            let packed = pack("text", &files);
            let (text, found) = unpack(&packed).expect("it is a pack");
            assert_eq!(text, "text");
            assert!(found.iter().eq(files.iter()));
            for length in 0..packed.len() {
                let cut = unpack(&packed[..length]);
                // A pack that ends behind a file is a pack with fewer files.
                assert!(cut.is_none_or(|(_, some)| some.iter().count() < files.iter().count()));
            }
        }
    }
}
