//! The committed class files equal those that JDK 17 makes from the committed sources, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tests::blessed;
use tests::openjdk::{committed, jdk};
use tests::skipped::skip;

/// Returns the class files below a directory, by their relative path.
fn class_files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next).expect("a readable directory") {
            let path = entry.expect("a readable directory").path();
            if path.is_dir() {
                directories.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "class")
            {
                let bytes = fs::read(&path).expect("a readable file");
                let inside = path.strip_prefix(directory).expect("found below");
                found.insert(inside.to_owned(), bytes);
            }
        }
    }
    found
}

/// Runs a build script and compares its output with the committed files below a directory.
fn assert_fresh(script: &Path, committed: &Path) {
    let built = tempfile::tempdir().expect("a temporary directory");
    let status = Command::new("sh")
        .arg(script)
        .arg(built.path())
        .status()
        .expect("`sh` starts");
    assert!(status.success(), "{} failed", script.display());
    let built = class_files(built.path());
    assert!(!built.is_empty(), "{} wrote nothing", script.display());
    let committed = class_files(committed);
    let stale: Vec<&PathBuf> = built
        .iter()
        .filter(|(path, bytes)| committed.get(*path) != Some(bytes))
        .map(|(path, _)| path)
        .collect();
    assert!(stale.is_empty(), "run {}: {stale:?}", script.display());
}

#[test]
fn class_files_are_those_of_javac_17() {
    if !jdk::is_javac_17_installed() {
        skip(
            "freshness of class files",
            "`javac` on the path is not that of JDK 17",
        );
        return;
    }
    let applets = committed::path("../../applets");
    assert_fresh(&applets.join("build.sh"), &applets.join("class"));
    let programs = applets.join("programs");
    assert_fresh(&programs.join("build.sh"), &programs.join("class"));
    assert_fresh(&committed::path("build.sh"), &committed::path(""));
    let examples = committed::path("../../jive-embed/examples");
    assert_fresh(&examples.join("build.sh"), &examples);
}

#[test]
fn jars_are_those_of_their_sources() {
    if !jdk::is_javac_17_installed() {
        skip(
            "freshness of jive-model.jar and jive-javac.jar",
            "`javac` on the path is not that of JDK 17",
        );
        return;
    }
    for (folder, committed) in [("model", applets::MODEL_JAR), ("javac", applets::JAVAC_JAR)] {
        let built = tempfile::tempdir().expect("a temporary directory");
        let script = committed::path(&format!("../../applets/{folder}/build.sh"));
        let build = Command::new("sh").arg(&script).arg(built.path()).status();
        assert!(build.expect("`sh` starts").success());
        let built = fs::read(built.path().join(format!("jive-{folder}.jar")));
        let is_fresh = built.expect("it was built") == committed;
        assert!(is_fresh, "run applets/{folder}/build.sh");
    }
}

#[test]
fn model_implements_every_native() {
    let model = include_str!("../../../applets/model/src/unet/Nic.java");
    // Join the lines of a long declaration, whose parameters are on a separate line.
    let stub = applets::NIC_STUB.replace("(\n            ", "(");
    let natives = stub.lines();
    let natives = natives.filter_map(|line| line.trim().strip_prefix("public static native "));
    let missing = natives
        .map(|native| format!("public static {} {{", native.trim_end_matches(';')))
        .filter(|method| !model.contains(method))
        .collect::<Vec<_>>();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn stub_is_that_of_the_natives_table() {
    let generated = nic_runtime::applet::java_stub();
    blessed::check("applets/java/unet/Nic.java", &generated);
    assert_eq!(applets::NIC_STUB, generated);
    let generated = nic_runtime::applet::program_stub();
    blessed::check("applets/programs/java/via/Via.java", &generated);
    assert_eq!(applets::VIA_STUB, generated);
}

#[test]
fn compiler_corpus_is_as_new_as_the_programs() {
    // Compare only the directory `javac-8-g`, because running all compilers of the corpus would be slow. The compiler
    // of `javac-8-g` also makes the programs, and one script makes the whole corpus.
    let programs = class_files(&committed::path("class"));
    for (path, bytes) in class_files(&committed::path("compilers/javac-8-g")) {
        if path != Path::new("OwnNatives.class") {
            assert!(programs[&path] == bytes, "run compilers/build.sh: {path:?}");
        }
    }
}
