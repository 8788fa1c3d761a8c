//! Fields of one name and different types, which class files may have (JVMS §4.5): a bare name of several fields is a
//! mistake that lists them, and `NAME:TYPE` names one of them, wherever fields are named.

use std::fs;
use std::path::Path;

use crate::process::Ended;
use crate::{jive_in, words};

/// Counts in the field `a` of type `int` by 1, in that of type `byte` by 2, and names a field of its own.
const SHARED: &str = "\
.field static a B
.field static a I
.field static a [B
.field static only I
.method static doRx(II)I stack 4 locals 2
    getstatic a:I
    iconst_1
    iadd
    putstatic a:I
    getstatic a:B
    iconst_2
    iadd
    i2b
    putstatic a:B
    getstatic a:I
    putstatic only:I
    iconst_0
    ireturn
";

/// A directory with `Shared.class`, and `Other.class`, in which the fields have another order.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let swapped = SHARED.replacen(".field static a B\n.field static a I\n", "", 1);
    let swapped = format!(".field static a I\n.field static a B\n{swapped}");
    assemble(directory.path(), "Shared", SHARED);
    assemble(directory.path(), "Other", &swapped);
    directory
}

fn assemble(directory: &Path, name: &str, body: &str) {
    let text = format!(".class public super {name}\n.version 50.0\n{body}");
    fs::write(directory.join(format!("{name}.jasm")), text).expect("it can be written");
    let ended = jive_in(directory, words(&format!("asm {name}.jasm")), b"");
    assert_eq!(ended.status, 0, "{}", ended.err);
}

/// Runs a scenario in which the endpoint `y`, with these keys, gets one message each 100 us.
fn run(directory: &Path, keys: &str, more: &str, options: &str) -> Ended {
    let text = format!(
        "[[nic]]\nname = \"n\"\n[[endpoint]]\nnic = \"n\"\nname = \"x\"\n\
         [[endpoint]]\nnic = \"n\"\nname = \"y\"\n{keys}\n[[channel]]\nx = 1\ny = 1\n\
         [[send]]\nendpoint = \"x\"\nchannel = 1\npayload = {{ text = \"q\" }}\nrepeat = 2\n\
         every = \"100us\"\n{more}"
    );
    fs::write(directory.join("s.toml"), text).expect("it can be written");
    jive_in(directory, words(&format!("run s.toml {options}")), b"")
}

fn expects(field: &str, value: i32) -> String {
    format!("[[expect]]\nendpoint = \"y\"\nfield = \"{field}\"\nvalue = {value}\n")
}

const SHARED_ONE: &str = "applet = \"Shared.class\"";
const CANDIDATES: &str = "expected `a:B`, `a:I` or `a:[B`, because several fields have this name";

#[track_caller]
fn assert_ambiguous(ended: &Ended, place: &str) {
    assert_eq!(ended.status, 2, "{}{}", ended.out, ended.err);
    assert!(ended.err.contains(CANDIDATES), "{}", ended.err);
    assert!(ended.err.contains(place), "{}", ended.err);
}

#[test]
fn an_expectation_names_one_field() {
    let directory = directory();
    let ended = run(directory.path(), SHARED_ONE, &expects("a", 2), "");
    assert_ambiguous(&ended, "s.toml:21:9");
    assert!(ended.err.contains("class `Shared`"), "{}", ended.err);
    let all = [("a:I", 2), ("a:B", 4), ("only", 2), ("only:I", 2)];
    let met = all.map(|(field, value)| expects(field, value)).concat();
    let ended = run(directory.path(), SHARED_ONE, &met, "");
    assert_eq!(ended.status, 0, "{}", ended.err);
    let ended = run(directory.path(), SHARED_ONE, &expects("a:B", 2), "");
    assert_eq!(ended.status, 1);
    assert!(
        ended
            .err
            .contains("expected 2 in field `a:B` of `y`, found 4"),
        "{}",
        ended.err
    );
    for unknown in ["a:S", "only:B", "a:"] {
        let ended = run(directory.path(), SHARED_ONE, &expects(unknown, 2), "");
        assert_eq!(ended.status, 2);
        assert!(
            ended.err.contains("a field of class `Shared`"),
            "{}",
            ended.err
        );
    }
}

#[test]
fn a_state_names_one_field() {
    let directory = directory();
    let with = |state: &str| format!("{SHARED_ONE}\nstate = {{ {state} }}");
    let ended = run(directory.path(), &with("a = 5"), "", "");
    assert_ambiguous(&ended, "s.toml:10:11");
    let met = expects("a:I", 7) + &expects("a:B", 14);
    let ended = run(
        directory.path(),
        &with("\"a:I\" = 5, \"a:B\" = 10"),
        &met,
        "",
    );
    assert_eq!(ended.status, 0, "{}", ended.err);

    let packet = |state: &str| {
        let line = format!("packet Shared.class --rx 00 --state {state}");
        jive_in(directory.path(), words(&line), b"")
    };
    assert_ambiguous(&packet("a=5"), "a=5");
    let ended = packet("a:I=5");
    assert_eq!(ended.status, 0, "{}", ended.err);
    for shown in [
        "static byte a = 2",
        "static int a = 6",
        "static int only = 6",
    ] {
        assert!(ended.out.contains(shown), "{}", ended.out);
    }
}

#[test]
fn fields_of_a_chain_and_of_a_later_class_are_one() {
    let directory = directory();
    let chain = "applet = [\"Shared.class\", \"Other.class\"]";
    let ended = run(directory.path(), chain, &expects("Shared.a", 2), "");
    assert_ambiguous(&ended, "class `Shared`");
    let ended = run(directory.path(), chain, &expects("Shared.a:I", 0), "");
    assert_eq!(ended.status, 0, "{}", ended.err);

    let plain = SHARED
        .replace(".field static a B\n", "")
        .replace("a:B", "a:I");
    assemble(
        directory.path(),
        "Plain",
        &plain.replace(".field static a [B\n", ""),
    );
    let first = "applet = \"Plain.class\"";
    let swap = "[[swap]]\nendpoint = \"y\"\nat = \"50us\"\napplet = \"Shared.class\"\n";
    let ended = run(
        directory.path(),
        first,
        &(swap.to_owned() + &expects("a", 4)),
        "",
    );
    assert_ambiguous(&ended, "class `Shared`");
}

#[test]
fn a_swap_carries_each_field_to_that_of_its_own_type() {
    let directory = directory();
    let swap = "[[swap]]\nendpoint = \"y\"\nat = \"50us\"\napplet = \"Other.class\"\n";
    let more = swap.to_owned() + &expects("a:I", 2) + &expects("a:B", 4) + &expects("only", 2);
    let ended = run(directory.path(), SHARED_ONE, &more, "");
    assert_eq!(ended.status, 0, "{}{}", ended.out, ended.err);
}

#[test]
fn a_capsule_carries_each_field_to_that_of_its_own_type() {
    let directory = directory();
    // The class comes from `x`, on the channel that `y` numbers 0.
    let keys = format!("{SHARED_ONE}\naccept_capsules = true");
    let capsule = "[[channel]]\nx = 2\ny = 0\n[[send]]\nendpoint = \"x\"\nchannel = 2\nat = \"50us\"\n\
                   payload = { capsule = \"Other.class\" }\n\
                   [[expect]]\nendpoint = \"x\"\nchannel = 2\ncount = 1\n";
    let all = [("a:I", 2), ("a:B", 4), ("only", 2), ("only:I", 2)];
    let met = all.map(|(field, value)| expects(field, value)).concat();
    let run = |expectations: &str| {
        let more = format!("{capsule}{expectations}");
        run(directory.path(), &keys, &more, "--trace text")
    };
    let ended = run(&met);
    assert_eq!(ended.status, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("applet-swap"), "{}", ended.out);
    let ended = run(&expects("a:B", 2));
    assert_eq!(ended.status, 1);
    let said = "expected 2 in field `a:B` of `y`, found 4";
    assert!(ended.err.contains(said), "{}", ended.err);
    assert_ambiguous(&run(&expects("a", 2)), "class `Shared`");
}

#[test]
fn a_field_of_a_shared_name_is_shown_with_its_type() {
    let directory = directory();
    let body = SHARED.replace(
        "    iconst_0\n    ireturn\n",
        "again:\n    iload_1\n    getstatic a:I\n    if_icmpge end\n    iinc 1 1\n    goto again\n\
         end:\n    getstatic a:[B\n    iconst_0\n    baload\n    ireturn\n",
    );
    assemble(directory.path(), "Loops", &body);
    let ended = jive_in(directory.path(), words("bound Loops.class"), b"");
    assert!(
        ended.out.contains("it counts to `a:I`"),
        "{}{}",
        ended.out,
        ended.err
    );
}

#[test]
fn an_endpoint_without_its_applet_has_no_field() {
    let directory = directory();
    let body = format!(
        "{SHARED}.method static <clinit>()V stack 2 locals 0\n    iconst_1\n    iconst_0\n    idiv\n\
         \x20   putstatic only:I\n    return\n"
    );
    assemble(directory.path(), "Traps", &body);
    let keys = "applet = \"Traps.class\"";
    let ended = run(
        directory.path(),
        keys,
        &expects("only", 1),
        "--lenient-load",
    );
    assert_eq!(ended.status, 1, "{}", ended.out);
    let said = "expected a value in field `only` of `y`, found no applet at the end of the run";
    assert!(ended.err.contains(said), "{}", ended.err);
}
