//! The verdict on a class, and the class that an assembly text makes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bumpalo::Bump;
use jive_core::ClassFile;
use jive_embed::{Asked, FoundAt, Listing, SourcePath, Verdict};
use jive_lab::asm;
use jive_verifier::Policy;
use nic_core::sle::{NicEntry, NicNative};
use nic_experiment::plain;
use serde::Serialize;

use crate::bytes::Bytes;

/// Java sources by the paths that they would have.
pub(crate) type Sources = BTreeMap<PathBuf, String>;

/// Returns where classes find these sources.
pub(crate) fn in_memory(sources: &Sources) -> SourcePath<'_> {
    SourcePath {
        in_memory: Some(sources),
        ..SourcePath::default()
    }
}

/// What is said of a class.
#[derive(Serialize)]
pub(crate) struct Judged {
    /// Whether the class may run.
    accepted: bool,
    /// The verdict as `jive verify --format json` prints it.
    verdict: Verdict,
    /// The verdict as `jive verify` prints it.
    text: String,
    /// The class as assembly, which `assemble` takes. Absent if the bytes are no class file.
    assembly: Option<String>,
    class: Bytes,
}

/// Judges a class file as an applet.
pub(crate) fn judge(name: &str, class: Vec<u8>, sources: &Sources) -> Judged {
    let found = FoundAt {
        file: Path::new(name),
        source_path: in_memory(sources),
    };
    let policy = Policy::Applet {
        entries: NicEntry::TABLE,
    };
    let asked = Asked {
        analysis: true,
        ..Asked::default()
    };
    let verdict = Verdict::of(found, &class, (policy, NicNative::TABLE), asked);
    Judged {
        accepted: matches!(verdict, Verdict::Accepted(_)),
        text: text(name, &verdict),
        assembly: assembly(&class),
        verdict,
        class: Bytes(class),
    }
}

/// Returns what `jive verify --report` prints.
fn text(name: &str, verdict: &Verdict) -> String {
    match verdict {
        Verdict::Accepted(accepted) => {
            let limits = accepted.analysis.as_ref().map(ToString::to_string);
            let limits = limits.unwrap_or_default();
            format!("{}\n{}", accepted.line(name), limits.trim_end())
        }
        Verdict::Rejected(rejected) => plain(&rejected.render()),
        Verdict::Unreadable { message } => format!("cannot read {name}: {message}"),
    }
}

fn assembly(class: &[u8]) -> Option<String> {
    let arena = Bump::new();
    let index = arena.alloc_slice_fill_copy(ClassFile::index_len(class), 0);
    let class = ClassFile::parse(class, index).ok()?;
    Some(asm::disassemble(class))
}

/// Returns a class as `jive disasm` shows it.
pub(crate) fn list(class: &[u8]) -> Result<String, String> {
    let arena = Bump::new();
    let index = arena.alloc_slice_fill_copy(ClassFile::index_len(class), 0);
    let class = ClassFile::parse(class, index).map_err(|error| error.to_string())?;
    let (listing, _) = Listing::of(class, Policy::ClassOnly, NicNative::TABLE);
    Ok(listing.to_string())
}

/// Assembles a text and judges the class.
pub(crate) fn assemble(name: &str, text: &str) -> Result<Judged, String> {
    let assembled = asm::assemble(name, text).map_err(|error| error.to_string())?;
    Ok(judge(name, assembled.bytes, &Sources::new()))
}
