//! The committed JSON schemas, and the large stack that the schema library needs.

use std::fs;
use std::path::Path;
use std::thread;

use jsonschema::Validator;
use serde_json::Value;

/// Stack for the schema library, which recurses once for each level of a schema. The tests themselves need less stack:
/// CI gives their threads 64 KiB.
const LIBRARY_STACK: usize = 4 << 20;

/// Runs a test with a schema from `docs` and its validator.
pub(crate) fn with(name: &str, test: impl FnOnce(&Value, &Validator) + Send) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs")
        .join(name);
    let checked = || {
        let text = fs::read_to_string(path).expect("it is committed");
        let schema = serde_json::from_str(&text).expect("it is JSON");
        jsonschema::meta::validate(&schema).expect("it is a schema of the draft that it names");
        let validator = jsonschema::validator_for(&schema).expect("it is a schema");
        test(&schema, &validator);
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(LIBRARY_STACK);
        let ended = thread
            .spawn_scoped(scope, checked)
            .expect("a thread starts");
        if let Err(panic) = ended.join() {
            std::panic::resume_unwind(panic);
        }
    });
}
