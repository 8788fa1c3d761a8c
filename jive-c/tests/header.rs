//! The committed header is what cbindgen writes.

use std::fs;
use std::path::Path;

#[test]
fn the_header_is_that_of_the_source() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config =
        cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("a configuration");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in [
        "lib", "natives", "state", "loading", "members", "call", "bytes",
    ] {
        builder = builder.with_src(folder.join(format!("src/{source}.rs")));
    }
    let mut written = Vec::new();
    builder.generate().expect("bindings").write(&mut written);
    let written = String::from_utf8(written).expect("a text");
    let committed = folder.join("include/jive.h");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&committed, &written).expect("it can be written");
    }
    let header = fs::read_to_string(&committed).expect("it is committed");
    assert!(
        header == written,
        "include/jive.h differs: BLESS=1 cargo test -p jive-c --test header"
    );
    // What the header promises is exported.
    for name in [
        "jive_memory_needed",
        "jive_load",
        "jive_explain",
        "jive_method",
        "jive_call",
        "jive_resume",
        "jive_fuel",
        "jive_fuel_used",
        "jive_new_bytes",
        "jive_bytes",
        "jive_heap_bytes",
        "jive_field",
        "jive_get",
        "jive_set",
        "jive_trap_name",
        "jive_trap_at",
    ] {
        assert!(
            header.contains(&format!(" {name}(")) || header.contains(&format!("*{name}(")),
            "{name}"
        );
    }
}
