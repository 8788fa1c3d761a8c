//! Reads the profile that an option names.

use std::path::Path;

use jive_embed::diagnosis::sentence;
use jive_embed::text::printable_path;
use jive_embed::{input, plain_text};
use nic_runtime::profile::Profile;
use nic_runtime::scenario::limits;

/// The profile used unless the user names another.
pub(super) const PROFILE_DEFAULT: &str = "lanai-1998";

/// Reads a built-in profile, or else a file. The error is a message for the user.
pub(super) fn read(name: &Path) -> Result<Profile, String> {
    if let Some(profile) = name.to_str().and_then(Profile::builtin) {
        return Ok(profile);
    }
    let shown = printable_path(name);
    let bytes = input::read_given(name, limits::FILE_BYTES_MAX).map_err(|error| {
        let names: Vec<&str> = Profile::builtin_names().collect();
        let note = format!("built-in profiles are {}", names.join(", "));
        sentence(
            &format!("cannot read the profile {shown}: {error}"),
            &[note],
        )
    })?;
    let text =
        plain_text::plain(&bytes).map_err(|error| sentence(&format!("{shown}: {error}"), &[]))?;
    Profile::parse(&text).map_err(|error| sentence(&format!("{shown}: {error}"), &[]))
}
