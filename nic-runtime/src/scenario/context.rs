//! The state that all parts of the scenario reader share: directory, seed, mistakes, files read, and sums of the
//! requested memory.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;

use jive_embed::input::{self, ReadError};
use toml::Spanned;
use toml::de::DeValue;

use super::capture::{self, Cut, Gathered};
use super::files::{Files, Opened};
use super::limits;
use super::mistake::MistakeKind;
use super::state;
use super::table::Mistakes;
use super::words::closest;
use crate::profile::Profile;
use crate::spec::Span;
use crate::spec::{ClassSpec, FieldState};

/// Prefix of the name of a built-in class. A class name without this prefix is a path.
pub const BUILTIN_PREFIX: &str = "builtin:";

/// The state of reading one scenario.
pub(super) struct Context {
    /// Where the files come from that the scenario names; `None` if it may name none.
    from: Option<Arc<dyn Files>>,
    seed: u64,
    mistakes: Mistakes,
    classes: Vec<ClassSpec>,
    /// The profiles read so far, each read once, by the name in the scenario.
    pub(super) profiles: BTreeMap<String, Result<Arc<Profile>, MistakeKind>>,
    files: Vec<PathBuf>,
    class_bytes: u64,
    payload_bytes: u64,
    sent_file_bytes: u64,
    /// How many bytes of captures may still be read.
    capture_bytes_left: u64,
    area_bytes: u64,
    heap_bytes: u64,
    descriptors: u64,
    free_buffers: u64,
}

impl Context {
    /// Returns a context without mistakes.
    #[must_use]
    pub(super) fn new(from: Option<Arc<dyn Files>>, seed: u64, mistakes: Mistakes) -> Context {
        Context {
            from,
            seed,
            mistakes,
            classes: Vec::new(),
            profiles: BTreeMap::new(),
            files: Vec::new(),
            class_bytes: 0,
            payload_bytes: 0,
            sent_file_bytes: 0,
            capture_bytes_left: limits::CAPTURES_TOTAL_MAX,
            area_bytes: 0,
            heap_bytes: 0,
            descriptors: 0,
            free_buffers: 0,
        }
    }

    /// Returns the list of mistakes, so that the caller can add to it.
    pub(super) fn mistakes(&mut self) -> &mut Mistakes {
        &mut self.mistakes
    }

    /// Returns the seed of all random choices of the scenario.
    #[must_use]
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the classes, the paths of the files read, and the mistakes.
    #[must_use]
    pub(super) fn finish(self) -> (Vec<ClassSpec>, Vec<PathBuf>, Mistakes) {
        (self.classes, self.files, self.mistakes)
    }

    /// Reads a file that the scenario names.
    ///
    /// # Errors
    ///
    /// Returns a mistake if the file cannot be read or holds more than `limit` bytes.
    pub(super) fn file(&mut self, name: &str, limit: u64) -> Result<Vec<u8>, MistakeKind> {
        let bytes = self.file_prefix(name, limit.saturating_add(1))?;
        match bytes.len() as u64 > limit {
            true => Err(MistakeKind::File(ReadError::TooLarge { limit })),
            false => Ok(bytes),
        }
    }

    /// Returns the index of the class that an endpoint names. Each class is read once.
    ///
    /// # Errors
    ///
    /// Returns a mistake if the class or its file does not exist.
    pub(super) fn class(&mut self, name: &str) -> Result<usize, MistakeKind> {
        if let Some(index) = self.classes.iter().position(|class| class.origin == name) {
            return Ok(index);
        }
        let bytes = match name.strip_prefix(BUILTIN_PREFIX) {
            Some(builtin) => builtin_class(builtin)?,
            None => self.file_prefix(name, limits::CLASS_BYTES_READ)?,
        };
        let what = "bytes of class files";
        let length = bytes.len() as u64;
        within(
            &mut self.class_bytes,
            length,
            limits::CLASSES_TOTAL_MAX,
            what,
        )?;
        let origin = name.to_owned();
        self.classes.push(ClassSpec { origin, bytes });
        Ok(self.classes.len() - 1)
    }

    /// Returns the bytes of a class file that a send carries. The verifier need not accept the class in the file.
    ///
    /// # Errors
    ///
    /// Returns a mistake as [`Context::sent_file`] does, or if there is no built-in class of that name.
    pub(super) fn sent_class(&mut self, name: &str) -> Result<Vec<u8>, MistakeKind> {
        match name.strip_prefix(BUILTIN_PREFIX) {
            Some(builtin) => builtin_class(builtin),
            None => self.sent_file(name, limits::CLASS_BYTES_READ),
        }
    }

    /// Returns the bytes of a class, given its index.
    #[must_use]
    pub(super) fn class_bytes(&self, class: usize) -> &[u8] {
        &self.classes[class].bytes
    }

    /// Reads `state`, the values of static fields. If the applet's class could not be read, the state is empty.
    pub(super) fn state(
        &mut self,
        class: Option<usize>,
        heap: u64,
        given: &Spanned<DeValue<'_>>,
    ) -> Vec<FieldState> {
        let class = class.and_then(|class| self.classes.get(class));
        class.map_or(Vec::new(), |class| {
            state::read(&class.bytes, heap, given, &mut self.mistakes)
        })
    }

    /// Reads a file that a send names. Every byte read from a file that a send names counts towards a limit, even if
    /// the file is refused or named again. Without this limit, a scenario could name one file in all of its sends, and
    /// reading would take hours.
    ///
    /// # Errors
    ///
    /// Returns a mistake as [`Context::file`] does, or if the files that sends name are too large together.
    pub(super) fn sent_file(&mut self, name: &str, limit: u64) -> Result<Vec<u8>, MistakeKind> {
        let left = limits::SENT_FILES_TOTAL_MAX - self.sent_file_bytes;
        let read = self.file(name, limit.min(left));
        self.sent_file_bytes += match &read {
            Ok(bytes) => bytes.len() as u64,
            Err(MistakeKind::File(ReadError::TooLarge { limit })) => *limit,
            Err(_) => 0,
        };
        match read {
            Err(MistakeKind::File(ReadError::TooLarge { .. })) if left < limit => {
                Err(MistakeKind::TooMany {
                    what: "bytes of files to send",
                    limit: limits::SENT_FILES_TOTAL_MAX,
                })
            }
            read => read,
        }
    }

    /// Reads a capture that a send names, and returns where it is and what was found. Packets that do not fit beside the
    /// other payloads are not held.
    ///
    /// # Errors
    ///
    /// Returns a mistake if the file cannot be read or is no capture.
    pub(super) fn sent_capture(
        &mut self,
        name: &str,
        cut: Cut,
    ) -> Result<(Arc<dyn Files>, Gathered), MistakeKind> {
        let (files, file) = self.open(name)?;
        let room = limits::PAYLOADS_TOTAL_MAX - self.payload_bytes;
        let left = &mut self.capture_bytes_left;
        let gathered = capture::gather(BufReader::new(file), cut, room, left);
        Ok((files, gathered.map_err(MistakeKind::Capture)?))
    }

    /// Checks that the limit on payloads has room for a payload of this length, before the payload is made.
    ///
    /// # Errors
    ///
    /// Returns a mistake if the sum of payload bytes would exceed the limit.
    pub(super) fn check_payload_room(&self, length: u64) -> Result<(), MistakeKind> {
        let mut total = self.payload_bytes;
        payload_within(&mut total, length)
    }

    /// Adds a payload's bytes to the sum of all payloads; returns whether the sum is within its limit.
    pub(super) fn take_payload_bytes(&mut self, bytes: u64, span: Span) -> bool {
        let taken = payload_within(&mut self.payload_bytes, bytes);
        self.mistakes.note(span, taken).is_some()
    }

    /// Adds an endpoint's buffer area to the sum of all buffer areas.
    pub(super) fn take_area_bytes(&mut self, bytes: u64, span: Span) {
        let limit = limits::BUFFER_AREAS_TOTAL_MAX;
        let taken = within(&mut self.area_bytes, bytes, limit, "bytes of buffer areas");
        self.mistakes.note(span, taken);
    }

    /// Adds the capacities of an endpoint's queues to the sum of all queues.
    pub(super) fn take_descriptors(&mut self, count: u64, span: Span) {
        let limit = limits::QUEUES_TOTAL_MAX;
        let taken = within(&mut self.descriptors, count, limit, "descriptors of queues");
        self.mistakes.note(span, taken);
    }

    /// Adds an endpoint's free buffers to the sum of all free buffers.
    pub(super) fn take_free_buffers(&mut self, count: u64, span: Span) {
        let limit = limits::FREE_BUFFERS_TOTAL_MAX;
        let taken = within(&mut self.free_buffers, count, limit, "free buffers");
        self.mistakes.note(span, taken);
    }

    /// Adds an applet's heap and `RxBuf` to the sum of all heaps.
    pub(super) fn take_heap_bytes(&mut self, bytes: u64, span: Span) {
        let limit = limits::HEAPS_TOTAL_MAX;
        let taken = within(
            &mut self.heap_bytes,
            bytes,
            limit,
            "bytes of heaps and `RxBuf`s",
        );
        self.mistakes.note(span, taken);
    }

    /// Reads the beginning of a file.
    fn file_prefix(&mut self, name: &str, limit: u64) -> Result<Vec<u8>, MistakeKind> {
        let (_, file) = self.open(name)?;
        input::read_prefix(file, limit).map_err(MistakeKind::File)
    }

    /// Opens a file, and records that it is read.
    fn open(&mut self, name: &str) -> Result<(Arc<dyn Files>, Opened), MistakeKind> {
        let from = self.from.clone().ok_or(MistakeKind::NoDirectory)?;
        if name.is_empty() {
            return Err(MistakeKind::EmptyPath);
        }
        self.files.push(from.path(name));
        let file = from.open(name).map_err(MistakeKind::File)?;
        Ok((from, file))
    }
}

fn builtin_class(name: &str) -> Result<Vec<u8>, MistakeKind> {
    let applet = applets::builtin(name).map(|applet| applet.class);
    let program = || applets::program(name).map(|program| program.class);
    match applet.or_else(program) {
        Some(class) => Ok(class.to_vec()),
        None => {
            let applets = applets::ALL.iter().map(|applet| applet.name);
            let programs = applets::PROGRAMS.iter().map(|program| program.name);
            let suggestion = closest(name, applets.chain(programs));
            Err(MistakeKind::UnknownBuiltin { suggestion })
        }
    }
}

/// Adds a payload to the sum of all payloads.
fn payload_within(sum: &mut u64, more: u64) -> Result<(), MistakeKind> {
    within(sum, more, limits::PAYLOADS_TOTAL_MAX, "bytes of payloads")
}

/// Adds a number to a sum with a limit. A sum with a limit stays the same if adding would exceed the limit.
fn within(sum: &mut u64, more: u64, limit: u64, what: &'static str) -> Result<(), MistakeKind> {
    let total = sum.saturating_add(more);
    if total > limit {
        return Err(MistakeKind::TooMany { what, limit });
    }
    *sum = total;
    Ok(())
}
