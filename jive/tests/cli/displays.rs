//! The output about a class is at most proportional to the size of its file. The output stays proportional to the
//! file's size even if long names are used often.

use std::fs;
use std::io;
use std::process::{Command, Stdio};

use jive_core::limits::NAME_CHARS_MAX;
use jive_lab::asm;
use traffic::worst::{explored_family, family};

use crate::process::{classes, jive_in};
use crate::words;

/// Maximum number of bytes that `jive disasm` prints for each byte of a class file. A one-byte instruction has a line
/// of 60 columns and up to 64 types of 20 bytes each. The line of a three-byte instruction has three names in addition.
const DISASM_PER_BYTE: u64 = 1_400;
/// Maximum number of bytes of a verdict, which describes 64 entry points, each with 64 names and 32 loops.
const VERDICT_BYTES: u64 = 2_000_000;
/// Additional bytes allowed for the output of any command.
const BYTES: u64 = 10_000;

/// Returns how many bytes a command prints, on both streams.
fn printed(arguments: &str, file: &std::path::Path) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_jive"))
        .args(words(arguments))
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built for this test");
    // Read standard error last: it is short, so its pipe cannot fill up and block the process.
    let mut out = child.stdout.take().expect("it was piped");
    let mut err = child.stderr.take().expect("it was piped");
    let shown = io::copy(&mut out, &mut io::sink()).expect("it can be read");
    let said = io::copy(&mut err, &mut io::sink()).expect("it can be read");
    let status = child.wait().expect("it was started");
    assert!(status.code().is_some_and(|code| code < 2), "{status}");
    shown + said
}

#[test]
fn output_grows_with_the_class_file_and_no_faster() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("Worst.class");
    // Analysing the classes takes most of the time, and other tests analyse each of them.
    let every = match std::env::var_os("JIVE_RUNS") {
        Some(_) => 1,
        None => 4,
    };
    let worst = explored_family().into_iter().chain(family());
    for worst in worst.step_by(every) {
        fs::write(&file, &worst.bytes).expect("it can be written");
        let size = worst.bytes.len() as u64;
        let shown = printed("disasm", &file);
        assert!(
            shown <= DISASM_PER_BYTE * size + BYTES,
            "{} ({}): {shown} bytes for {size}",
            worst.name,
            worst.about
        );
        let verdict = printed("verify --format json --class-only", &file);
        assert!(verdict <= VERDICT_BYTES, "{}: {verdict} bytes", worst.name);
    }
}

/// Bytes of the names of a class and its methods.
const NAME: usize = 20_000;

/// Returns a class with a long name, whose method `run` calls a method with a long name and this code.
fn long_names(code: &str) -> Vec<u8> {
    let [class, long] = ["C", "m"].map(|letter| letter.repeat(NAME));
    let source = format!(
        ".class {class}\n.method static run()I stack 1 locals 0\ninvokestatic {long}()I\nireturn\n\
         .method static {long}()I stack 2 locals 0\n{code}\n"
    );
    let assembled = asm::assemble("long.jasm", &source);
    assembled.expect("the source is right").bytes
}

#[test]
fn names_are_cut_wherever_they_are_shown() {
    let division = "iconst_1\niconst_0\nidiv\nireturn";
    let underflow = "iadd\niadd\niadd\nireturn";
    for (arguments, code) in [
        ("verify --class-only -", division),
        ("verify --class-only --report -", division),
        ("verify --class-only --format json -", division),
        ("disasm -", division),
        ("exec - run", division),
        ("verify --class-only -", underflow),
        ("verify --class-only --format json -", underflow),
        ("disasm -", underflow),
    ] {
        let ended = jive_in(&classes(), words(arguments), &long_names(code));
        let shown = ended.out + &ended.err;
        assert!(shown.contains('…'), "{arguments}: {shown:.500}");
        for letter in ["C", "m"] {
            let is_whole = shown.contains(&letter.repeat(NAME_CHARS_MAX + 1));
            assert!(!is_whole, "{arguments}: {shown:.500}");
        }
        assert!(shown.len() < 10_000, "{arguments}: {} bytes", shown.len());
    }
}
