//! Exports read only the roles of events, so a new interface of the simulator does not change any export.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns every file below a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the crate");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

#[test]
fn no_export_names_an_event_of_an_interface() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = files_below(&root.join("src/export"));
    assert!(files.len() > 10, "the exports lie elsewhere");
    let declared = fs::read_to_string(root.join("../nic-core/src/event/mod.rs"))
        .expect("the declaration of the families");
    let rows = declared
        .split("families! {")
        .nth(1)
        .and_then(|rows| rows.split('}').next())
        .expect("the rows of the families");
    let families: Vec<&str> = rows
        .split(['(', ')'])
        .filter(|word| word.ends_with("Event"))
        .chain(["EventKind"])
        .collect();
    assert!(families.len() >= 4, "{families:?}");
    for file in files {
        let text = fs::read_to_string(&file).expect("a source file");
        for family in &families {
            assert!(!text.contains(family), "{} names {family}", file.display());
        }
    }
}
