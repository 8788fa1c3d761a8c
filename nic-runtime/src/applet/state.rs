//! The classes of applets whose static fields a scenario sets. `jive_embed::preset` explains how.

use bumpalo::Bump;
use jive_core::{AppletMembers, FieldId, LinkedClass, NativeId};
use jive_embed::LoadError;
use jive_embed::preset;
use nic_core::sle::NicNative;

use crate::profile::Receive;

/// Returns the field that a native stores to, or `None` for a native of the NIC.
pub(crate) fn stored_field(native: NativeId) -> Option<FieldId> {
    preset::stored_field(native, NicNative::TABLE.len())
}

/// Loads a class once more for applets whose fields the scenario sets.
///
/// # Errors
///
/// Returns an error if the rewritten class is refused. A rewritten class is never refused: the scenario's reader has
/// checked that the class has room for the constants of the natives.
pub(crate) fn reload<'a>(
    arena: &'a Bump,
    bytes: &[u8],
    loaded: &LinkedClass<'a>,
) -> Result<LinkedClass<'a>, LoadError> {
    let receive = match loaded.program.applet() {
        Some(AppletMembers { rx_buf: None, .. }) => Receive::Direct,
        Some(_) | None => Receive::Staged,
    };
    let policy = receive.policy();
    preset::load_preset(arena, bytes, loaded, policy, NicNative::TABLE)
}
