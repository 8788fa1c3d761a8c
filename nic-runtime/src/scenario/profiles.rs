//! The profile of each NIC: its own, or the scenario's.

use std::path::Path;
use std::sync::Arc;

use jive_embed::plain_text;
use nic_core::id::NicId;

use super::context::Context;
use super::key::{Key, Presence, Text};
use super::limits;
use super::mistake::MistakeKind;
use super::table::{self, Mistakes, Table};
use super::words::closest;
use crate::profile::Profile;
use crate::spec::{NicSpec, Span};

/// The profiles of all NICs.
pub(super) struct NicProfiles {
    of_all: Arc<Profile>,
    own: Vec<Option<Arc<Profile>>>,
}

impl NicProfiles {
    /// Returns the profiles of these NICs. A NIC without a profile of its own has the scenario's profile.
    pub(super) fn new(of_all: &Arc<Profile>, nics: &[NicSpec]) -> NicProfiles {
        NicProfiles {
            of_all: Arc::clone(of_all),
            own: nics.iter().map(|nic| nic.profile.clone()).collect(),
        }
    }

    /// Returns the profile of a NIC.
    pub(super) fn of(&self, nic: NicId) -> &Profile {
        let own = self.own.get(nic.0 as usize).and_then(Option::as_deref);
        own.unwrap_or(&self.of_all)
    }

    /// Returns the scenario's profile.
    pub(super) fn of_all(&self) -> &Profile {
        &self.of_all
    }

    /// Returns the profile of two NICs if both have the same profile.
    pub(super) fn of_both(&self, a: NicId, b: NicId) -> Option<&Profile> {
        let (of_a, of_b) = (self.of(a), self.of(b));
        (std::ptr::eq(of_a, of_b) || of_a == of_b).then_some(of_a)
    }
}

/// Reads the profile that a key of a table names, if the table has that key.
pub(super) fn named<A: Presence>(
    key: &Key<Text, A>,
    table: &Table<'_>,
    context: &mut Context,
) -> Option<Arc<Profile>> {
    let name = key.with(table, table::text, context.mistakes())?;
    let profile = read_once(name.value, context);
    context.mistakes().note(name.span, profile)
}

/// Returns the profile that a scenario or a NIC names. Each profile is read once.
fn read_once(name: &str, context: &mut Context) -> Result<Arc<Profile>, MistakeKind> {
    if let Some(known) = context.profiles.get(name) {
        return known.clone();
    }
    let read = read(name, context);
    context.profiles.insert(name.to_owned(), read.clone());
    read
}

/// Reads a built-in profile, or else the profile in a file.
fn read(name: &str, context: &mut Context) -> Result<Arc<Profile>, MistakeKind> {
    match builtin(name) {
        Some(profile) => Ok(profile),
        None => file(name, context),
    }
}

/// Returns a built-in profile. This function is separate so that the profile leaves the stack early, because the
/// caller's stack may be small.
#[inline(never)]
pub(super) fn builtin(name: &str) -> Option<Arc<Profile>> {
    Profile::builtin(name).map(Arc::new)
}

#[inline(never)]
fn file(name: &str, context: &mut Context) -> Result<Arc<Profile>, MistakeKind> {
    let is_path = name.contains('/') || Path::new(name).extension().is_some();
    if !is_path {
        let suggestion = closest(name, Profile::builtin_names());
        return Err(MistakeKind::UnknownProfile { suggestion });
    }
    let bytes = context.file(name, limits::FILE_BYTES_MAX)?;
    let text = plain_text::plain(&bytes).map_err(MistakeKind::NotUtf8)?;
    match Profile::parse(&text) {
        Ok(profile) => Ok(Arc::new(profile)),
        Err(error) => Err(MistakeKind::Profile(error)),
    }
}

/// Checks that a profile has the sections that something needs.
pub(super) fn check_sections(
    place: Span,
    profile: &Profile,
    (needs, sections): (impl FnOnce() -> String, &[&'static str]),
    mistakes: &mut Mistakes,
) {
    if let Some(section) = profile.lacks(sections) {
        let kind = MistakeKind::ProfileLacks {
            needs: needs(),
            section,
            profile: profile.name.clone(),
        };
        mistakes.add(place, kind);
    }
}
