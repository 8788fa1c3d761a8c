//! Where the files come from that a scenario names: classes, profiles, payloads and captures.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;

use jive_embed::input::{self, ReadError};

/// A file that is read from its beginning.
pub type Opened = Box<dyn Read + Send>;

/// The files that a scenario may name. The command reads them from a directory; a browser, a worker of a cluster or a
/// test has them in memory.
///
/// ```
/// use std::sync::Arc;
///
/// use nic_runtime::scenario::{InMemory, parse_from};
///
/// let text = br#"
///     [[nic]]
///     name = "a"
///     [[endpoint]]
///     nic = "a"
///     name = "e"
///     [[send]]
///     endpoint = "e"
///     channel = 1
///     payload = { file = "hello.bin" }
/// "#;
/// let files = InMemory::from([("hello.bin", b"hello")]);
/// let scenario = parse_from(text, Arc::new(files), None)?;
/// assert_eq!(scenario.sends[0].payload, b"hello");
/// # Ok::<(), nic_runtime::scenario::ScenarioError>(())
/// ```
pub trait Files: fmt::Debug + Send + Sync {
    /// Opens the file of a name as the scenario has it. A capture that is too long to be held is opened again by each run.
    ///
    /// # Errors
    ///
    /// Any [`ReadError`]: a name leads to a regular file or nowhere.
    fn open(&self, name: &str) -> Result<Opened, ReadError>;

    /// Returns the path of a file, so that no output overwrites it.
    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(name)
    }
}

/// The regular files of a directory, and those beside it to which a path leads.
#[derive(Clone, Debug)]
pub struct Directory(pub PathBuf);

impl Files for Directory {
    fn open(&self, name: &str) -> Result<Opened, ReadError> {
        Ok(Box::new(input::open_regular(&self.path(name))?))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

/// Files in memory, by the names that scenarios have for them.
#[derive(Clone, Default)]
pub struct InMemory(BTreeMap<String, Arc<[u8]>>);

impl InMemory {
    /// Adds a file, in place of one of the same name.
    pub fn add(&mut self, name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) {
        self.0.insert(name.into(), bytes.into());
    }

    /// Returns the names and the bytes of the files, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, bytes)| (name.as_str(), &**bytes))
    }
}

impl<N: Into<String>, B: AsRef<[u8]>, const COUNT: usize> From<[(N, B); COUNT]> for InMemory {
    fn from(files: [(N, B); COUNT]) -> InMemory {
        let mut all = InMemory::default();
        for (name, bytes) in files {
            all.add(name, bytes.as_ref());
        }
        all
    }
}

/// Shows the names and lengths alone.
impl fmt::Debug for InMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths = self.iter().map(|(name, bytes)| (name, bytes.len()));
        f.debug_map().entries(lengths).finish()
    }
}

impl Files for InMemory {
    fn open(&self, name: &str) -> Result<Opened, ReadError> {
        match self.0.get(name) {
            Some(bytes) => Ok(Box::new(Cursor::new(Arc::clone(bytes)))),
            None => Err(ReadError::Missing),
        }
    }
}
