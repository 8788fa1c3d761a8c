//! Files that stay as they were when they were first read.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use jive_embed::input::ReadError;
use nic_runtime::scenario::{Files, InMemory, Opened};
use sha2::{Digest, Sha256};

/// Longest file that is kept in memory. Of a longer one, only the digest is kept.
const KEPT_BYTES_MAX: u64 = 256 << 20;

/// A file that was read.
#[derive(Clone, Debug)]
enum Known {
    Kept(Arc<[u8]>),
    /// The file is too long to keep.
    Long([u8; 32]),
}

/// Other files, kept in memory once they were read. So a sweep sees one version of each, however long it takes, and can
/// take them along to other machines.
#[derive(Debug)]
pub(crate) struct Kept {
    from: Arc<dyn Files>,
    known: Mutex<BTreeMap<String, Known>>,
}

impl Kept {
    pub(crate) fn new(from: Arc<dyn Files>) -> Kept {
        let known = Mutex::default();
        Kept { from, known }
    }

    fn known(&self, name: &str) -> Result<Known, ReadError> {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(name) {
            return Ok(known.clone());
        }
        let mut file = self.from.open(name)?;
        let mut bytes = Vec::new();
        (&mut file).take(KEPT_BYTES_MAX).read_to_end(&mut bytes)?;
        let is_long = bytes.len() as u64 == KEPT_BYTES_MAX;
        let known = match is_long {
            false => Known::Kept(bytes.into()),
            true => {
                let mut digest = Sha256::new_with_prefix(&bytes);
                bytes.truncate(1 << 16);
                loop {
                    let count = file.read(&mut bytes)?;
                    if count == 0 {
                        break;
                    }
                    digest.update(&bytes[..count]);
                }
                Known::Long(digest.finalize().into())
            }
        };
        all.insert(name.to_owned(), known.clone());
        Ok(known)
    }

    /// Adds the names and contents of all files that were read to a digest.
    pub(crate) fn add_to(&self, digest: &mut Sha256) {
        let all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, known) in all.iter() {
            digest.update((name.len() as u64).to_le_bytes());
            digest.update(name);
            let of_file: [u8; 32] = match known {
                Known::Kept(bytes) => Sha256::digest(bytes).into(),
                Known::Long(digest) => *digest,
            };
            digest.update(of_file);
        }
    }

    /// Returns the paths of all files that were read.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        all.keys().map(|name| self.from.path(name)).collect()
    }

    /// Returns all files that were read, or the name of one that is too long.
    pub(crate) fn taken(&self) -> Result<InMemory, String> {
        let all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files = InMemory::default();
        for (name, known) in all.iter() {
            match known {
                Known::Kept(bytes) => files.add(name.clone(), Arc::clone(bytes)),
                Known::Long(_) => return Err(name.clone()),
            }
        }
        Ok(files)
    }
}

impl Files for Kept {
    fn open(&self, name: &str) -> Result<Opened, ReadError> {
        match self.known(name)? {
            Known::Kept(bytes) => Ok(Box::new(Cursor::new(bytes))),
            Known::Long(_) => self.from.open(name),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.from.path(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stays_as_it_was_first_read() {
        #[derive(Debug, Default)]
        struct Changing(Mutex<u8>);
        impl Files for Changing {
            fn open(&self, name: &str) -> Result<Opened, ReadError> {
                if name != "there" {
                    return Err(ReadError::Missing);
                }
                let mut count = self.0.lock().expect("nobody panics");
                *count += 1;
                Ok(Box::new(Cursor::new([*count])))
            }
        }
        let kept = Kept::new(Arc::new(Changing::default()));
        let read = |name| {
            let mut bytes = Vec::new();
            kept.open(name)?.read_to_end(&mut bytes)?;
            Ok::<_, ReadError>(bytes)
        };
        assert_eq!(read("there"), Ok(vec![1]));
        assert_eq!(read("there"), Ok(vec![1]));
        assert_eq!(read("nowhere"), Err(ReadError::Missing));
        let taken = kept.taken().expect("it is short");
        assert_eq!(taken.iter().collect::<Vec<_>>(), [("there", &[1][..])]);
    }
}
