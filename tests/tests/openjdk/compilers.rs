//! Class files of the same sources by several compilers are accepted and give the same results.
//!
//! `java/compilers` has a directory for each compiler: `javac` for releases 8, 11 and 17, `ecj` for 1.1 to 1.4 and 17,
//! with and without debug information. `java/compilers/build.sh` makes the class files of all compilers. Compilers
//! assign traps to different lines, so without Java only names and methods are compared.

use jive_core::ClassFile;
use tests::openjdk::{Call, calls, committed, jdk, jive};
use tests::simulation::{Messages, Received, run, scenario};
use tests::skipped::skip;

/// The class file major version of each directory (JVMS table 4.1-A).
const COMPILERS: [(&str, u16); 12] = [
    ("ecj-1.1", 45),
    ("ecj-1.2", 46),
    ("ecj-1.3", 47),
    ("ecj-1.4", 48),
    ("ecj-1.4-g-none", 48),
    ("ecj-17", 61),
    ("javac-8-g", 52),
    ("javac-8-g-none", 52),
    ("javac-11-g", 55),
    ("javac-11-g-none", 55),
    ("javac-17-g", 61),
    ("javac-17-g-none", 61),
];

/// Returns the directory of a compiler's class files, below `java`.
fn directory(compiler: &str) -> String {
    format!("compilers/{compiler}")
}

/// Removes the source lines of traps from a line of results.
fn without_lines(line: &str) -> String {
    let (call, results) = line.split_once(": ").expect("results follow the call");
    let is_number = |c: char| c == '-' || c.is_ascii_digit();
    let mut parts = results.split(':');
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.trim_start_matches(is_number));
    format!("{call}: {}", rest.fold(first, |line, part| line + part))
}

#[test]
fn each_directory_has_its_version_and_the_same_classes() {
    let names: Vec<String> = committed::files(&directory("javac-8-g"))
        .into_keys()
        .collect();
    assert_eq!(names.len(), 10);
    for (compiler, major) in COMPILERS {
        let classes = committed::files(&directory(compiler));
        for (name, bytes) in &classes {
            let mut index = vec![0; ClassFile::index_len(bytes)];
            let class = ClassFile::parse(bytes, &mut index).expect("a class file");
            assert_eq!(class.version().major, major, "{compiler}/{name}");
        }
        assert_eq!(classes.into_keys().collect::<Vec<_>>(), names, "{compiler}");
    }
}

#[test]
fn every_compilers_code_gives_openjdks_results() {
    let list = committed::text("calls.txt");
    let recorded = committed::text("openjdk.txt");
    let mut compared = 0;
    for (compiler, _) in COMPILERS {
        let classes = committed::files(&directory(compiler));
        // The list and the record both have a line for each call, in the same order.
        let (calls, recorded): (Vec<Call<'_>>, Vec<&str>) = calls(&list)
            .into_iter()
            .zip(recorded.lines())
            .filter(|(call, _)| classes.contains_key(call.class))
            .unzip();
        compared += calls.iter().map(Call::count).sum::<usize>();
        let ours = jive::results(&calls, |class| classes[class].clone());
        for (ours, recorded) in ours.iter().zip(recorded) {
            assert_eq!(without_lines(ours), without_lines(recorded), "{compiler}");
        }
        if jdk::is_java_installed() {
            let text: Vec<&str> = calls.iter().map(|call| call.line).collect();
            let live = jdk::results(
                &(text.join("\n") + "\n"),
                &[&committed::path(&directory(compiler))],
            );
            assert_eq!(ours, live, "{compiler}");
        }
    }
    if !jdk::is_java_installed() {
        skip(
            "comparison of other compilers' code with OpenJDK, beyond what is recorded",
            jdk::NONE,
        );
    }
    jdk::announce(&format!("compilers: compared {compared}"));
}

#[test]
fn every_compilers_applet_delivers_messages() {
    const SCENARIO: &str = r#"
        [[nic]]
        name = "a"
        [[endpoint]]
        nic = "a"
        name = "client"
        applet = "OwnNatives.class"
        [[endpoint]]
        nic = "a"
        name = "server"
        applet = "OwnNatives.class"
        [[channel]]
        client = 1
        server = 7
        [[send]]
        endpoint = "client"
        channel = 1
        at = "10us"
        payload = { count = 56 }
        [[send]]
        endpoint = "client"
        channel = 1
        at = "1ms"
        payload = { count = 200 }
    "#;
    let expected = [56, 200].map(|length| Received {
        endpoint: "server".to_owned(),
        channel: 7,
        payload: (0..length).collect(),
    });
    for (compiler, _) in COMPILERS {
        let mut messages = Messages::default();
        run(
            &scenario(SCENARIO, Some(&committed::path(&directory(compiler))), None),
            &mut messages,
        );
        assert_eq!(messages.0, expected, "{compiler}");
    }
}
