//! Which profile each NIC has: the scenario's, or one of its own.

use std::path::Path;
use std::sync::Arc;

use nic_core::id::NicId;

use super::context::Context;
use super::limits;
use super::mistake::{MistakeKind, closest};
use super::model::NicSpec;
use super::table::{self, Table};
use crate::profile::Profile;

/// The profiles of a scenario's NICs.
pub(super) struct NicProfiles {
    of_all: Arc<Profile>,
    own: Vec<Option<Arc<Profile>>>,
}

impl NicProfiles {
    /// Returns the profiles of these NICs, of which those without one of their own have that of the scenario.
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

    /// Returns the profile that two NICs share.
    pub(super) fn of_both(&self, a: NicId, b: NicId) -> Option<&Profile> {
        let (of_a, of_b) = (self.of(a), self.of(b));
        (std::ptr::eq(of_a, of_b) || of_a == of_b).then_some(of_a)
    }
}

/// Reads the profile that a table names under `profile`, if it does.
pub(super) fn named(table: &Table<'_>, context: &mut Context<'_>) -> Option<Arc<Profile>> {
    let name = table.optional("profile", table::text, context.mistakes())?;
    let profile = context.profile(name.value);
    context.mistakes().note(name.span, profile)
}

/// Reads a profile that the project ships, or else a file.
pub(super) fn read(name: &str, context: &mut Context<'_>) -> Result<Arc<Profile>, MistakeKind> {
    match builtin(name) {
        Some(profile) => Ok(profile),
        None => file(name, context),
    }
}

/// Returns a profile that the project ships. A function of its own: the stack may be small, and does not hold the profile
/// while another part of it is used.
#[inline(never)]
pub(super) fn builtin(name: &str) -> Option<Arc<Profile>> {
    Profile::builtin(name).map(Arc::new)
}

#[inline(never)]
fn file(name: &str, context: &mut Context<'_>) -> Result<Arc<Profile>, MistakeKind> {
    let is_path = name.contains('/') || Path::new(name).extension().is_some();
    if !is_path {
        let suggestion = closest(name, Profile::builtin_names());
        return Err(MistakeKind::UnknownProfile { suggestion });
    }
    let bytes = context.file(name, limits::FILE_BYTES_MAX)?;
    let text = String::from_utf8(bytes).map_err(|_| MistakeKind::NotUtf8)?;
    match Profile::parse(&text) {
        Ok(profile) => Ok(Arc::new(profile)),
        Err(error) => Err(MistakeKind::Profile(error)),
    }
}
