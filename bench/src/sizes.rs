//! Sizes of the freestanding crates, measured by `scripts/size`.

use std::process::{Command, Stdio};

use serde::Serialize;

use crate::peer::PeerError;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/size");

/// The size of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// The parts that the program contains.
    pub what: String,
    /// Bytes of code and constants.
    pub bytes: u64,
}

/// Builds the programs and returns their sizes.
///
/// # Errors
///
/// Returns an error if the programs cannot be built, for example because the target is not installed.
pub fn measure() -> Result<Vec<Size>, PeerError> {
    let output = Command::new(SCRIPT).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("scripts/size failed: {}", output.status).into());
    }
    let sizes: Vec<_> = String::from_utf8(output.stdout)?
        .lines()
        .filter_map(size)
        .collect();
    if sizes.is_empty() {
        return Err("scripts/size printed no size".into());
    }
    Ok(sizes)
}

/// Parses a line of `scripts/size`: the name, the bytes, and their composition.
fn size(line: &str) -> Option<Size> {
    let (before, _) = line.split_once(" bytes")?;
    let (what, bytes) = before.rsplit_once(' ')?;
    Some(Size {
        what: what.trim_end().to_owned(),
        bytes: bytes.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::{Size, size};

    #[test]
    fn a_line_has_a_name_of_several_words_and_a_size() {
        let line = "outline, linker, interpreter          22912 bytes  (.text 21312, .rodata 1600)";
        let expected = Size {
            what: "outline, linker, interpreter".to_owned(),
            bytes: 22_912,
        };
        assert_eq!(size(line), Some(expected));
        assert_eq!(size("   Compiling size v0.1.0"), None);
    }
}
