//! Which crates a program builds with `jive-embed`, by the features that it turns on.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Returns the names of the crates that a package of this workspace is built with, on any target.
fn crates(package: &str, options: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .args(["tree", "--offline", "--locked", "--target", "all"])
        .args([
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--package",
            package,
        ])
        .args(options)
        .output()
        .expect("cargo, which runs this test");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("a text");
    let names = text.lines().filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

/// Crates that diagnoses and serialisation need, and calls of a class do not.
const OF_FEATURES: [&str; 5] = ["annotate-snippets", "anstyle", "serde", "strsim", "rustix"];

#[test]
fn without_features_the_core_and_what_it_needs_are_built() {
    let built = crates("jive-embed", &["--no-default-features"]);
    for name in ["jive-core", "jive-verifier", "jive-load"] {
        assert!(built.contains(name), "{built:?}");
    }
    let of_features = OF_FEATURES.iter().filter(|name| built.contains(**name));
    assert_eq!(of_features.collect::<Vec<_>>(), Vec::<&&str>::new());
    let core = crates("jive-load", &[]);
    let added = built.difference(&core).map(String::as_str);
    let added = added.collect::<Vec<_>>();
    assert_eq!(added, ["bumpalo", "fnv", "jive-embed", "self_cell"]);
}

#[test]
fn each_feature_builds_what_it_names() {
    let with = |feature| {
        crates(
            "jive-embed",
            &["--no-default-features", "--features", feature],
        )
    };
    assert!(with("json").contains("serde"));
    assert!(!with("json").contains("annotate-snippets"));
    assert!(with("diagnosis").contains("annotate-snippets"));
    assert!(!with("diagnosis").contains("serde"));
    assert_eq!(crates("jive-embed", &[]), with("diagnosis"));
}

#[test]
fn the_simulator_builds_no_diagnoses() {
    let built = crates("nic-runtime", &[]);
    assert!(built.contains("jive-embed"), "{built:?}");
    assert!(!built.contains("annotate-snippets"), "{built:?}");
}
