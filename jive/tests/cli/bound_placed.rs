//! `jive bound --scenario` states what a call costs where it runs: in a chain, beside a busy neighbour, after a capsule.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{jive_in, words};

/// An applet whose calls count with each of their arguments.
const COUNTS: &str = "\
.version 49.0
.class public super NAME
.super java/lang/Object
.field static RxBuf [B
.field static out [B
.method static <clinit>()V stack 1 locals 0
 sipush 9216
 invokestatic unet/Nic.newAlignedArray(I)[B
 putstatic NAME.out:[B
 return
.method static doTx(III)I stack 4 locals 4
 iconst_0
 istore_3
A:
 iload_3
 iload_0
 if_icmpge B
 iinc 3 1
 goto A
B:
 iconst_0
 istore_3
C:
 iload_3
 iload_2
 if_icmpge D
 iinc 3 1
 goto C
D:
 getstatic NAME.out:[B
 iconst_0
 iload_2
 iload_0
 invokestatic unet/Nic.doHtoLDMA([BIII)V
 getstatic NAME.out:[B
 iconst_0
 iload_1
 LENGTH
 invokestatic unet/Nic.txPush([BIII)V
 iconst_0
 ireturn
.method static doRx(II)I stack 3 locals 2
A:
 iload_1
 ifge B
 iinc 1 1
 goto A
B:
 getstatic NAME.RxBuf:[B
 ldc -50000
 iconst_4
 invokestatic unet/Nic.dmaRxdPayload([BII)V
 iconst_0
 ireturn
.method static doRefill(III)I stack 2 locals 4
 iconst_0
 istore_3
A:
 iload_3
 iload_0
 if_icmpge B
 iinc 3 1
 goto A
B:
 iload_1
 ifge C
 iinc 1 1
 goto B
C:
 iconst_0
 ireturn
";

/// A class whose `doRx` counts to a field, which its constructor sets.
const KEEPS: &str = "\
.version 49.0
.class public super Keeps
.super java/lang/Object
.field static RxBuf [B
.field static n I
.method <init>()V stack 1 locals 1
 aload_0
 invokespecial java/lang/Object.<init>()V
 ldc COUNT
 putstatic Keeps.n:I
 return
.method static doTx(III)I stack 1 locals 3
 iconst_0
 ireturn
.method static doRx(II)I stack 2 locals 3
 iconst_0
 istore_2
A:
 iload_2
 getstatic Keeps.n:I
 if_icmpge B
 iinc 2 1
 goto A
B:
 BODY
 iconst_0
 ireturn
";

fn assemble(directory: &Path, name: &str, source: &str) {
    fs::write(directory.join("source.jasm"), source).expect("it can be written");
    let ended = jive_in(
        directory,
        words(&format!("asm source.jasm --out {name}")),
        b"",
    );
    assert_eq!(ended.status, 0, "{}\n{source}", ended.err);
}

fn counts(directory: &Path, name: &str, length: &str) {
    let source = COUNTS.replace("NAME", name).replace("LENGTH", length);
    assemble(directory, &format!("{name}.class"), &source);
}

fn bound(directory: &Path, line: &str) -> Value {
    let ended = jive_in(
        directory,
        words(&format!("bound {line} --format json")),
        b"",
    );
    assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{line}");
    serde_json::from_str(&ended.out).expect("one object")
}

fn entry(report: &Value, method: &str) -> Value {
    let entries = report["entry_points"].as_array().expect("a list");
    let entry = entries.iter().find(|entry| entry["method"] == method);
    entry.expect("it is an entry point").clone()
}

/// Runs a scenario. Returns the most bytecodes and the longest time of the calls of each applet's methods.
fn run(directory: &Path) -> BTreeMap<(String, String), (u64, u64)> {
    let ended = jive_in(directory, words("run s.toml --trace json"), b"");
    assert_eq!(ended.status, 0, "{}", ended.err);
    let events = ended.out.lines().map(|line| {
        let event = serde_json::from_str::<Value>(line);
        event.expect("JSON Lines")
    });
    let (mut most, mut began) = (BTreeMap::new(), BTreeMap::new());
    // Events of an endpoint with a single applet leave its class out.
    let mut classes = BTreeMap::new();
    for event in events {
        let word = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let time = event["t_ns"].as_u64().unwrap_or_default();
        let endpoint = word("endpoint");
        match event["event"].as_str() {
            Some("load" | "applet-swap") => {
                classes.insert(endpoint, word("class"));
            }
            Some("applet-call") => {
                began.insert(endpoint, time);
            }
            Some("applet-return") => {
                let taken = time - began.get(&endpoint).copied().unwrap_or(time);
                let bytecodes = event["bytecodes"].as_u64().expect("a number");
                let class = match event["applet"].as_str() {
                    Some(class) => class.to_owned(),
                    None => classes.get(&endpoint).cloned().unwrap_or_default(),
                };
                let known = most.entry((class, word("method"))).or_insert((0, 0));
                *known = (known.0.max(bytecodes), known.1.max(taken));
            }
            _ => {}
        }
    }
    most
}

const NICS: &str = "\
[[nic]]
name = 'a'
[[nic]]
name = 'b'
[[channel]]
c = 1
s = 1
";

fn scenario(rest: &str) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let text = format!("{NICS}{rest}");
    fs::write(directory.path().join("s.toml"), text).expect("it can be written");
    directory
}

#[track_caller]
fn holds(directory: &TempDir, place: &str, (applet, method): (&str, &str), least: u64) {
    let stated = entry(&bound(directory.path(), place), method);
    let observed = run(directory.path());
    let (bytecodes, time) = observed[&(applet.to_owned(), method.to_owned())];
    assert!(bytecodes >= least, "{applet}.{method} ran {bytecodes} only");
    if let Some(stated) = stated["bytecodes"].as_u64() {
        assert!(
            bytecodes <= stated,
            "{applet}.{method}: {bytecodes} of {stated}"
        );
    }
    let stated = stated["time_ns"].as_u64().expect("it has a bound");
    assert!(
        time <= stated,
        "{applet}.{method}: {time} ns of {stated} ns"
    );
}

#[test]
fn refilled_and_passed_channels_may_be_any_number() {
    let directory = scenario(
        "[[endpoint]]\nnic = 'a'\nname = 'c'\n\
         [[endpoint]]\nnic = 'b'\nname = 's'\napplet = ['One.class', 'Two.class']\n\
         [[send]]\nendpoint = 'c'\nchannel = 1\npayload = { zeros = 100 }\n",
    );
    counts(directory.path(), "One", "iload_0");
    counts(directory.path(), "Two", "iload_0");
    // A loop from -50,000 to 0 has 50,001 tests. Only the applet next to the wire gets channels of the scenario.
    holds(
        &directory,
        "--scenario s.toml --endpoint s --applet 1",
        ("One", "doRx"),
        150_000,
    );
    holds(
        &directory,
        "--scenario s.toml --endpoint s --applet 2",
        ("Two", "doRefill"),
        150_000,
    );
    let of = |applet: u32, method: &str| {
        let line = format!("--scenario s.toml --endpoint s --applet {applet}");
        entry(&bound(directory.path(), &line), method)["bytecodes"].clone()
    };
    assert_eq!(
        (of(1, "doRx"), of(1, "doRefill")),
        (Value::Null, Value::Null)
    );
    assert_eq!((of(2, "doRx"), of(2, "doRefill")), (json!(8), Value::Null));
}

#[test]
fn inline_message_refills_more_than_a_short_buffer() {
    let directory = scenario(
        "[[endpoint]]\nnic = 'a'\nname = 'c'\n\
         [[endpoint]]\nnic = 'b'\nname = 's'\napplet = 'One.class'\nbuffer_area = 16\n\
         free_buffers = { count = 1, length = 8 }\n\
         [[send]]\nendpoint = 'c'\nchannel = 1\npayload = { zeros = 100 }\n",
    );
    let source = COUNTS.replace("NAME", "One").replace("LENGTH", "iload_0");
    // The channel is small, so that the length counts.
    assemble(
        directory.path(),
        "One.class",
        &source.replace("-50000", "-3"),
    );
    holds(
        &directory,
        "--scenario s.toml --endpoint s",
        ("One", "doRefill"),
        56 * 5,
    );
}

#[test]
fn a_call_in_a_chain_is_given_longer_messages_and_copies_them() {
    let directory = scenario(
        "[[endpoint]]\nnic = 'a'\nname = 'c'\napplet = ['One.class', 'Two.class']\nbuffer_area = 1024\n\
         free_buffers = { count = 2, length = 128 }\n\
         [[endpoint]]\nnic = 'b'\nname = 's'\n\
         [[send]]\nendpoint = 'c'\nchannel = 1\npayload = { zeros = 100 }\n",
    );
    counts(directory.path(), "One", "sipush 9216");
    counts(directory.path(), "Two", "iload_0");
    let place = "--scenario s.toml --endpoint c --applet 2";
    holds(&directory, place, ("Two", "doTx"), 5 * (9_216 + 1_024));
    // The plain form says that it is for an only applet, and states less.
    let plain = bound(directory.path(), "Two.class --buffer-area 1024");
    assert_eq!(plain["assumes"]["is_alone"], true);
    let placed = bound(directory.path(), place);
    assert_eq!(placed["assumes"]["is_alone"], false);
    let time = |report| entry(report, "doTx")["time_ns"].as_u64();
    assert!(time(&plain) < time(&placed));
}

#[test]
fn busy_neighbours_are_in_the_time() {
    let pairs = "\
[[endpoint]]\nnic = 'a'\nname = 'c'\ninterface = 'emp'
[[endpoint]]\nnic = 'b'\nname = 's'\ninterface = 'emp'\napplet = 'Keeps.class'
[[endpoint]]\nnic = 'a'\nname = 'd'\ninterface = 'emp'
[[endpoint]]\nnic = 'b'\nname = 't'\ninterface = 'emp'
[[channel]]\nd = 1\nt = 1
[[send]]\nendpoint = 'c'\nchannel = 1\nat = '10us'\npayload = { zeros = 1400 }\nrepeat = 4
[[send]]\nendpoint = 'd'\nchannel = 1\nat = '10us'\npayload = { zeros = 3000 }\nrepeat = 1000
";
    let two = "processors = 2\nplacement = 'RO'\n";
    let directory = tempfile::tempdir().expect("a temporary directory");
    let nics = NICS.replace("[[channel]]", &format!("{two}[[channel]]"));
    let nics = nics.replace("[[nic]]\nname = 'b'", &format!("{two}[[nic]]\nname = 'b'"));
    let text = format!("profile = 'tigon2-2002'\n{nics}{pairs}");
    fs::write(directory.path().join("s.toml"), text).expect("it can be written");
    let source = KEEPS.replace("COUNT", "1000").replace("BODY", "nop");
    assemble(directory.path(), "Keeps.class", &source);
    holds(
        &directory,
        "--scenario s.toml --endpoint s",
        ("Keeps", "doRx"),
        5_000,
    );
    // The plain form assumes the slowdown of its profile too.
    let plain = bound(directory.path(), "Keeps.class --profile tigon2-2002");
    let placed = bound(directory.path(), "--scenario s.toml --endpoint s");
    let time = |report| entry(report, "doRx")["time_ns"].clone();
    assert_eq!(time(&plain), time(&placed));
}

#[test]
fn a_field_that_a_capsule_keeps_may_have_any_value() {
    let directory = scenario(
        "c = 2\ns = 0\n\
         [[endpoint]]\nnic = 'a'\nname = 'c'\n\
         [[endpoint]]\nnic = 'b'\nname = 's'\naccept_capsules = true\n\
         [[send]]\nendpoint = 'c'\nchannel = 2\npayload = { capsule = 'Many.class', number = 1 }\n\
         [[send]]\nendpoint = 'c'\nchannel = 2\nat = '1ms'\npayload = { capsule = 'Few.class', number = 2 }\n\
         [[send]]\nendpoint = 'c'\nchannel = 1\nat = '5ms'\npayload = { zeros = 4 }\n"
            .replace("c = 2\ns = 0\n", "[[channel]]\nc = 2\ns = 0\n")
            .as_str(),
    );
    for (name, count) in [("Many.class", "90000"), ("Few.class", "14")] {
        let source = KEEPS.replace("COUNT", count).replace("BODY", "nop");
        assemble(directory.path(), name, &source);
    }
    let plain = entry(&bound(directory.path(), "Few.class"), "doRx");
    assert!(plain["bytecodes"].as_u64().expect("it has a bound") < 100);
    let line = "bound Few.class --scenario s.toml --endpoint s --check 100";
    let ended = jive_in(directory.path(), words(line), b"");
    assert_eq!(ended.status, 1, "{}", ended.err);
    assert!(
        ended
            .err
            .contains("it counts to `n`, which may have any value"),
        "{}",
        ended.err
    );
    holds(
        &directory,
        "Few.class --scenario s.toml --endpoint s",
        ("Keeps", "doRx"),
        450_000,
    );
}

#[test]
fn unnamed_class_comes_after_another() {
    // Nothing in the scenario replaces the applet, so the class that is asked about can only come by what is not in it:
    // a swap that is added, or a capsule. What the applet before it left in `n` is not known.
    let directory = scenario(
        "[[endpoint]]\nnic = 'a'\nname = 'c'\n\
         [[endpoint]]\nnic = 'b'\nname = 's'\napplet = 'Many.class'\n",
    );
    for (name, count) in [("Many.class", "90000"), ("Few.class", "14")] {
        let source = KEEPS.replace("COUNT", count).replace("BODY", "nop");
        assemble(directory.path(), name, &source);
    }
    let place = "--scenario s.toml --endpoint s";
    let own = entry(&bound(directory.path(), place), "doRx");
    assert!(own["bytecodes"].as_u64().expect("it has a bound") > 450_000);
    let line = format!("bound Few.class {place} --check 1000000");
    let ended = jive_in(directory.path(), words(&line), b"");
    assert_eq!(ended.status, 1, "{}", ended.err);
    let said = "it counts to `n`, which may have any value";
    assert!(ended.err.contains(said), "{}", ended.err);
    let report = bound(directory.path(), &format!("Few.class {place}"));
    assert!(entry(&report, "doRx")["bytecodes"].is_null(), "{report}");
}

#[test]
fn the_state_of_a_scenario_is_not_the_class_s_own() {
    let directory = scenario(
        "[[endpoint]]\nnic = 'a'\nname = 'c'\n\
         [[endpoint]]\nnic = 'b'\nname = 's'\napplet = 'Few.class'\nstate = { n = 90000 }\n\
         [[send]]\nendpoint = 'c'\nchannel = 1\npayload = { zeros = 4 }\n",
    );
    let source = KEEPS.replace("COUNT", "14").replace("BODY", "nop");
    // The class itself stores nothing.
    let source = source.replace("putstatic Keeps.n:I", "pop");
    assemble(directory.path(), "Few.class", &source);
    holds(
        &directory,
        "--scenario s.toml --endpoint s",
        ("Keeps", "doRx"),
        450_000,
    );
}

#[test]
fn a_place_that_is_not_there_is_named() {
    let directory = scenario(
        "[[endpoint]]\nnic = 'a'\nname = 'c'\n\
         [[endpoint]]\nnic = 'b'\nname = 's'\napplet = ['builtin:RawUnet', 'builtin:Counter']\n",
    );
    for (line, message) in [
        ("--scenario s.toml", "--endpoint"),
        ("builtin:RawUnet --endpoint s", "--scenario"),
        ("--scenario s.toml --endpoint t", "no endpoint `t`"),
        ("--scenario s.toml --endpoint s", "`--applet` says which"),
        ("--scenario s.toml --endpoint s --applet 3", "from 1 to 2"),
        ("--scenario s.toml --endpoint s --applet 0", "--applet"),
        ("--scenario s.toml --endpoint c", "without an applet"),
        ("--scenario absent.toml --endpoint c", "cannot read"),
        ("--scenario s.toml --endpoint c --heap 4096", "--heap"),
    ] {
        let ended = jive_in(directory.path(), words(&format!("bound {line}")), b"");
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{line}");
        assert!(ended.err.contains(message), "{line}: {}", ended.err);
    }
}
