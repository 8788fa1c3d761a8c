//! What the freestanding crates weigh, as `scripts/size` measures it.

use std::process::{Command, Stdio};

use serde::Serialize;

use crate::peer::PeerError;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/size");

/// What a program weighs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// What is in it.
    pub what: String,
    /// Bytes of code and constants.
    pub bytes: u64,
}

/// Builds and weighs the programs.
///
/// # Errors
/// Where they cannot be built, as without the target.
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

/// Reads a line of it: what, its bytes, and how they are made up.
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
