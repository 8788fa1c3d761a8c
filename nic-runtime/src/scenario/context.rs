//! What every part of reading a scenario shares: the directory of its files, the seed, the mistakes found, and the
//! memory asked for so far.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jive_embed::input::{self, ReadError};

use super::limits;
use super::mistake::{MistakeKind, Span, closest};
use super::model::ClassSpec;
use super::profiles;
use super::table::Mistakes;
use crate::profile::Profile;

/// How the name of a class begins that the project ships, as against a path.
pub const BUILTIN_PREFIX: &str = "builtin:";

/// The state of reading one scenario.
pub(super) struct Context<'s> {
    directory: Option<&'s Path>,
    seed: u64,
    mistakes: Mistakes,
    classes: Vec<ClassSpec>,
    /// The profiles that were read, each once, by the name that the scenario gives.
    profiles: BTreeMap<String, Result<Arc<Profile>, MistakeKind>>,
    files: Vec<PathBuf>,
    class_bytes: u64,
    payload_bytes: u64,
    sent_file_bytes: u64,
    area_bytes: u64,
    heap_bytes: u64,
    descriptors: u64,
    free_buffers: u64,
}

impl<'s> Context<'s> {
    /// Starts with nothing found; files lie relative to `directory`, if there is one.
    #[must_use]
    pub(super) fn new(directory: Option<&'s Path>, seed: u64, mistakes: Mistakes) -> Context<'s> {
        Context {
            directory,
            seed,
            mistakes,
            classes: Vec::new(),
            profiles: BTreeMap::new(),
            files: Vec::new(),
            class_bytes: 0,
            payload_bytes: 0,
            sent_file_bytes: 0,
            area_bytes: 0,
            heap_bytes: 0,
            descriptors: 0,
            free_buffers: 0,
        }
    }

    /// Returns the mistakes found so far, to add to them.
    pub(super) fn mistakes(&mut self) -> &mut Mistakes {
        &mut self.mistakes
    }

    /// Returns the seed of every random choice.
    #[must_use]
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the classes, the files that were read, and the mistakes found.
    #[must_use]
    pub(super) fn finish(self) -> (Vec<ClassSpec>, Vec<PathBuf>, Mistakes) {
        (self.classes, self.files, self.mistakes)
    }

    /// Reads a file that the scenario names.
    ///
    /// # Errors
    ///
    /// Returns the mistake where it cannot be read or holds more than `limit` bytes.
    pub(super) fn file(&mut self, name: &str, limit: u64) -> Result<Vec<u8>, MistakeKind> {
        input::read_file(&self.path(name)?, limit).map_err(MistakeKind::File)
    }

    /// Returns the profile that a scenario or a NIC names, reading it unless it has been read.
    ///
    /// # Errors
    ///
    /// Returns the mistake where there is no such profile or file, or it is no profile.
    pub(super) fn profile(&mut self, name: &str) -> Result<Arc<Profile>, MistakeKind> {
        if let Some(known) = self.profiles.get(name) {
            return known.clone();
        }
        let read = profiles::read(name, self);
        self.profiles.insert(name.to_owned(), read.clone());
        read
    }

    /// Returns the index of the class that an endpoint names, reading it unless it has been read.
    ///
    /// # Errors
    ///
    /// Returns the mistake where there is no such class or file.
    pub(super) fn class(&mut self, name: &str) -> Result<usize, MistakeKind> {
        if let Some(index) = self.classes.iter().position(|class| class.origin == name) {
            return Ok(index);
        }
        let bytes = match name.strip_prefix(BUILTIN_PREFIX) {
            Some(builtin) => builtin_class(builtin)?,
            None => input::read_file_prefix(&self.path(name)?, limits::CLASS_BYTES_READ)
                .map_err(MistakeKind::File)?,
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

    /// Reads a file that a send names. What is read counts, whatever becomes of it: a scenario that names one
    /// file in each of its sends would be read for hours.
    ///
    /// # Errors
    ///
    /// As for [`Context::file`]; also where such files add up to too much.
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

    /// Checks that a payload of this length may yet be made.
    ///
    /// # Errors
    ///
    /// Returns the mistake where it would be too much with those before it.
    pub(super) fn check_payload_room(&self, length: u64) -> Result<(), MistakeKind> {
        let mut total = self.payload_bytes;
        payload_within(&mut total, length)
    }

    /// Counts a payload's bytes; returns whether they are within the limit.
    pub(super) fn take_payload_bytes(&mut self, bytes: u64, span: Span) -> bool {
        let taken = payload_within(&mut self.payload_bytes, bytes);
        self.mistakes.note(span, taken).is_some()
    }

    /// Counts an endpoint's buffer area.
    pub(super) fn take_area_bytes(&mut self, bytes: u64, span: Span) {
        let limit = limits::BUFFER_AREAS_TOTAL_MAX;
        let taken = within(&mut self.area_bytes, bytes, limit, "bytes of buffer areas");
        self.mistakes.note(span, taken);
    }

    /// Counts the descriptors that an endpoint's queues hold.
    pub(super) fn take_descriptors(&mut self, count: u64, span: Span) {
        let limit = limits::QUEUES_TOTAL_MAX;
        let taken = within(&mut self.descriptors, count, limit, "descriptors of queues");
        self.mistakes.note(span, taken);
    }

    /// Counts an endpoint's free buffers.
    pub(super) fn take_free_buffers(&mut self, count: u64, span: Span) {
        let limit = limits::FREE_BUFFERS_TOTAL_MAX;
        let taken = within(&mut self.free_buffers, count, limit, "free buffers");
        self.mistakes.note(span, taken);
    }

    /// Counts an applet's heap and `RxBuf`.
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

    /// Returns the path of a file that is to be read, and notes it.
    fn path(&mut self, name: &str) -> Result<PathBuf, MistakeKind> {
        let directory = self.directory.ok_or(MistakeKind::NoDirectory)?;
        if name.is_empty() {
            return Err(MistakeKind::EmptyPath);
        }
        let path = directory.join(name);
        self.files.push(path.clone());
        Ok(path)
    }
}

fn builtin_class(name: &str) -> Result<Vec<u8>, MistakeKind> {
    match applets::builtin(name) {
        Some(applet) => Ok(applet.class.to_vec()),
        None => {
            let suggestion = closest(name, applets::ALL.iter().map(|applet| applet.name));
            Err(MistakeKind::UnknownBuiltin { suggestion })
        }
    }
}

/// Adds to the sum of payloads.
fn payload_within(sum: &mut u64, more: u64) -> Result<(), MistakeKind> {
    within(sum, more, limits::PAYLOADS_TOTAL_MAX, "bytes of payloads")
}

/// Adds to a sum that has a limit; a sum that would pass it stays as it is.
fn within(sum: &mut u64, more: u64, limit: u64, what: &'static str) -> Result<(), MistakeKind> {
    let total = sum.saturating_add(more);
    if total > limit {
        return Err(MistakeKind::TooMany { what, limit });
    }
    *sum = total;
    Ok(())
}
