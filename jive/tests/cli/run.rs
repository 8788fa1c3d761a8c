//! `jive run`.

use std::fs;

use nic_runtime::scenario::BUILTIN;

use crate::{classes, jive, jive_in, words};

#[test]
fn first_command_shows_each_message_arrive_twice() {
    let ended = jive(["run"]);
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    for length in [5, 56, 57, 1000, 9000] {
        let length = format!("length={length} ");
        let seen = |event: &str| {
            let event = format!(" {event} ");
            let events = ended.out.lines().filter(|line| line.contains(&event));
            events
                .filter(|line| format!("{line} ").contains(&length))
                .count()
        };
        for event in ["tx-post", "tx-done", "wire-tx", "wire-rx", "rx-descriptor"] {
            assert_eq!(seen(event), 2, "{event} {length}");
        }
    }
    assert!(
        ended
            .out
            .contains("sent          10 packets, 20236 bytes: received 10\n"),
        "{}",
        ended.out
    );
}

#[test]
fn every_built_in_scenario_runs_and_repeats_itself() {
    for builtin in BUILTIN {
        let arguments = ["run", builtin.name, "--trace", "json", "--payload"];
        let ended = jive(arguments);
        assert_eq!(ended.status, 0, "{}", builtin.name);
        // Standard error explains the traps, and is empty if there were none.
        let traps = ended.out.contains("\"event\":\"trap\"");
        assert_eq!(ended.err.is_empty(), !traps, "{}", ended.err);
        assert_eq!(jive(arguments), ended, "{}", builtin.name);
    }
}

/// Runs a scenario, and returns the exit status, standard error and the summary in JSON.
fn summary(text: &str, options: &str) -> (i32, String, serde_json::Value) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("s.toml"), text).expect("it can be written");
    let line = format!("run s.toml --trace none --format json {options}");
    let ended = jive_in(directory.path(), words(&line), b"");
    let summary = serde_json::from_str(&ended.out).expect("it is JSON");
    (ended.status, ended.err, summary)
}

#[test]
fn a_program_that_the_end_cuts_says_how_far_it_came() {
    let ping = BUILTIN.iter().find(|builtin| builtin.name == "clan-ping");
    // Each loss costs 20 ms, so a hundred rounds take more than a second.
    let link = "[[link]]\nbetween = [\"a\", \"b\"]\nloss = 0.3\n[[endpoint]]";
    let text = ping.expect("it is shipped").text;
    let text = text.replace("rounds = 4", "rounds = 100");
    let text = text.replacen("[[endpoint]]", link, 1);
    let clan = text.replace("[[expect]]\ndrops = 0", "");
    let emp = "profile = \"tigon2-2002\"\n[[nic]]\nname = \"a\"\n[[nic]]\nname = \"b\"\n\
               [[endpoint]]\nnic = \"a\"\nname = \"client\"\ninterface = \"emp\"\nhost = \"emp-ping\"\n\
               rounds = 4000000\n\
               [[endpoint]]\nnic = \"b\"\nname = \"server\"\ninterface = \"emp\"\nhost = \"echo\"\n\
               [[channel]]\nclient = 1\nserver = 1\n\
               [[receive]]\nendpoint = \"client\"\nsource = \"server\"\ntag = 0\nlength = 64\nrepeat = 60000\n\
               [[receive]]\nendpoint = \"server\"\nsource = \"client\"\ntag = 0\nlength = 64\nrepeat = 60000\n";
    for (text, rounds) in [
        (&*clan, "of 100 requests have their answers"),
        (emp, "of 4000000 messages were sent, and "),
    ] {
        let (status, err, cut) = summary(text, "");
        assert_eq!((status, &cut["ended"]), (4, &"until".into()), "{err}");
        let program = &cut["unfinished"][0];
        assert_eq!(program["endpoint"], "client");
        let after = program["after"].as_str().expect("words");
        assert!(
            after.contains(rounds) && !after.starts_with("0 "),
            "{after}"
        );
        let title = "the default of `until` cut the run at 1000000.000 us";
        let note = format!("endpoint client: {after}");
        assert!(err.contains(title) && err.contains(&note), "{err}");

        let (status, err, allowed) = summary(text, "--allow-cut");
        assert_eq!((status, &*err), (0, ""));
        assert_eq!(allowed, cut);

        // The scenario wants the run to end there, and still the summary says how far the program came.
        let set = format!("until = \"1s\"\n{text}");
        let (status, err, wanted) = summary(&set, "");
        assert_eq!((status, &*err), (0, ""));
        assert_eq!(wanted["unfinished"], cut["unfinished"]);
    }
}

#[test]
fn random_traces_depend_on_the_seed() {
    let with = |seed| jive(["run", "lossy-link", "--seed", seed]).out;
    assert_eq!(with("1"), jive(["run", "lossy-link"]).out);
    assert_ne!(with("1"), with("2"));
}

#[test]
fn the_scenario_of_the_contract_runs_beside_its_class_file() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let contract = BUILTIN.iter().find(|builtin| builtin.name == "contract");
    let text = contract.expect("it is shipped").text;
    let text = text.replace("builtin:RawUnet\"", "RawUnet.class\"");
    fs::write(directory.path().join("s.toml"), text).expect("it can be written");
    fs::write(
        directory.path().join("RawUnet.class"),
        applets::RAW_UNET.class,
    )
    .expect("it can be written");
    // Run the scenario from another directory, because the class's path is relative to the scenario, not to the
    // process.
    let path = directory.path().join("s.toml");
    let ended = jive_in(&classes(), ["run".as_ref(), path.as_os_str()], b"");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    assert_eq!(ended.out, jive(["run", "contract"]).out);
}

#[test]
fn mistakes_name_their_place_and_stop_the_run() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let write = |text: &[u8]| fs::write(directory.path().join("s.toml"), text);
    let run = || {
        let ended = jive_in(directory.path(), words("run s.toml"), b"");
        assert_eq!((ended.status, ended.out.as_str()), (2, ""));
        ended.err
    };
    write(b"[[nic]]\nname = \"a\"\nsram = \"1 KiloByte\"\n").expect("it can be written");
    let err = run();
    assert!(
        err.contains("--> s.toml:3:8") && err.contains("\"1 KiloByte\""),
        "{err}"
    );
    write(b"[[nic]]\nname = \"\xff\"\n").expect("it can be written");
    let err = run();
    assert!(
        err.contains("--> s.toml:2:9") && err.contains("found byte 0xff"),
        "{err}"
    );
    write("[".repeat(1 << 20).as_bytes()).expect("it can be written");
    assert!(run().contains("expected TOML"));
    write(b"").expect("it can be written");
    assert!(run().contains("expected at least one `[[nic]]`"));
}

#[test]
fn what_is_no_scenario_is_named() {
    let missing = jive(words("run pingpon"));
    assert_eq!((missing.status, missing.out.as_str()), (2, ""));
    assert!(
        missing.err.contains("did you mean `pingpong`?"),
        "{}",
        missing.err
    );
    assert!(missing.err.contains("lossy-link"), "{}", missing.err);
    let directory = jive(words("run ."));
    assert_eq!(directory.status, 2);
    assert!(
        directory.err.contains("found a directory"),
        "{}",
        directory.err
    );
}

#[test]
fn rejected_class_or_trap_at_load_exits_with_1() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = |class: &str| {
        let text = format!(
            "[[nic]]\nname = \"a\"\n[[endpoint]]\nnic = \"a\"\nname = \"e\"\napplet = \"{class}\"\n"
        );
        fs::copy(classes().join(class), directory.path().join(class)).expect("it can be copied");
        fs::write(directory.path().join("s.toml"), text).expect("it can be written");
        let text = jive_in(directory.path(), words("run s.toml"), b"");
        let lenient = words("run s.toml --lenient-load --trace json");
        let lenient = jive_in(directory.path(), lenient, b"");
        let json = jive_in(directory.path(), words("run s.toml --trace json"), b"");
        (json, text.out, lenient)
    };
    let (rejected, _, lenient) = run("LongMaths.class");
    assert_eq!(lenient.status, 1);
    assert_eq!((rejected.status, rejected.out.as_str()), (1, ""));
    assert!(
        rejected.err.contains("error[subset/long]"),
        "{}",
        rejected.err
    );
    let (trapped, text, lenient) = run("Stillborn.class");
    assert_eq!(trapped.status, 1);
    let named = "; an applet of e trapped while it was loaded\n";
    assert!(text.contains(named), "{text}");
    assert_eq!(lenient.status, 0, "{}", lenient.err);
    assert!(lenient.out.contains(r#""ended":"idle""#), "{}", lenient.out);
    assert!(lenient.err.contains("error[ArithmeticException]"));
    let ended = r#""ended":"load-trap","ended_by":"e""#;
    assert!(trapped.out.contains(ended), "{}", trapped.out);
}

#[test]
fn every_bad_applet_of_a_scenario_is_told() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut text = "[[nic]]\nname = \"a\"\n".to_owned();
    for (name, class) in [("x", "LongMaths"), ("y", "Trapper"), ("z", "Calls")] {
        let file = format!("{class}.class");
        fs::copy(classes().join(&file), directory.path().join(&file)).expect("it can be copied");
        text += &format!("[[endpoint]]\nnic = \"a\"\nname = \"{name}\"\napplet = \"{file}\"\n");
    }
    fs::write(directory.path().join("s.toml"), text).expect("it can be written");
    let ended = jive_in(directory.path(), words("run s.toml"), b"");
    assert_eq!((ended.status, ended.out.as_str()), (1, ""));
    for (told, count) in [
        ("--> LongMaths.class: ", 1),
        ("Trapper", 0),
        ("--> Calls.class: ", 3),
        ("error: Calls.class has 3 faults", 1),
    ] {
        assert_eq!(
            ended.err.matches(told).count(),
            count,
            "{told}: {}",
            ended.err
        );
    }
}

#[test]
fn too_much_for_a_nic_is_refused_with_the_sum() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let text = "[[nic]]\nname = \"a\"\nsram = \"1KiB\"\n[[endpoint]]\nnic = \"a\"\nname = \"e\"\n\
                applet = \"builtin:RawUnet\"\n";
    fs::write(directory.path().join("s.toml"), text).expect("it can be written");
    let ended = jive_in(directory.path(), words("run s.toml"), b"");
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
    assert!(
        ended.err.contains("do not fit in 1024 bytes of SRAM") && ended.err.contains(":3:8\n"),
        "{}",
        ended.err
    );
}

#[test]
fn the_fields_of_each_applet_are_shown_at_the_end() {
    let plain = jive(["run", "contract"]);
    let dumped = jive(["run", "contract", "--dump"]);
    let fields = dumped
        .out
        .strip_prefix(&plain.out)
        .expect("the rest is the same");
    let heads: Vec<_> = fields
        .lines()
        .filter(|line| line.starts_with("fields"))
        .collect();
    assert_eq!(heads, ["fields of client", "fields of server"]);
    // The last packet that arrived at each end has the bytes of `hello`.
    let buffer = "  static byte[] RxBuf = byte[9216] 68 65 6c 6c 6f 00 ";
    assert_eq!(fields.matches(buffer).count(), 2, "{fields}");
    assert!(
        fields.contains("  static int bufferLength = 4096\n"),
        "{fields}"
    );

    let json = jive(["run", "contract", "--dump", "--trace", "json"]).out;
    let lines = crate::json_lines::values(json.as_bytes());
    let [.., client, server, summary] = &lines[..] else {
        panic!("expected more lines, found {json}");
    };
    assert_eq!(
        (&client["event"], &client["endpoint"]),
        (&"fields".into(), &"client".into())
    );
    assert_eq!(server["nic"], "b");
    assert_eq!(summary["event"], "summary");
    let field = client["fields"].as_array().expect("a list");
    let field = field.iter().find(|field| field["name"] == "bufferLength");
    assert_eq!(field.expect("it has one")["value"], 4096);
}

#[test]
fn poison_changes_only_bytes_behind_a_packet() {
    let plain = jive(["run", "contract"]);
    assert_eq!(jive(["run", "contract", "--poison"]), plain);
    let dumped = jive(["run", "contract", "--dump", "--poison"]).out;
    let buffer = "  static byte[] RxBuf = byte[9216] 68 65 6c 6c 6f a5 a5 ";
    assert_eq!(dumped.matches(buffer).count(), 2, "{dumped}");
}

#[test]
fn a_scenario_sets_the_fields_of_each_applet_by_itself() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let class = classes().join("Stateful.class");
    fs::copy(class, directory.path().join("Stateful.class")).expect("it can be copied");
    let endpoint = |name: &str, state: &str| {
        format!(
            "[[endpoint]]\nnic = \"n\"\nname = \"{name}\"\napplet = \"Stateful.class\"\n{state}\n"
        )
    };
    let write = |state: &str| {
        let (plain, set) = (endpoint("plain", ""), endpoint("set", state));
        let text = format!(
            "[[nic]]\nname = \"n\"\n{plain}{set}{}",
            endpoint("last", "state = { window = 6 }")
        );
        fs::write(directory.path().join("s.toml"), text).expect("it can be written");
        jive_in(
            directory.path(),
            words("run s.toml --trace none --dump"),
            b"",
        )
    };
    let ended = write("state = { window = 2, keys = [1, 2, 3, 4] }");
    let rings: Vec<_> = ended
        .out
        .lines()
        .filter(|line| line.contains(" ring = "))
        .collect();
    let ring = |length: usize| {
        format!(
            "  static byte[] ring = byte[{length}]{}",
            " 00".repeat(length)
        )
    };
    assert_eq!(rings, [ring(4), ring(2), ring(6)], "{}", ended.err);
    assert_eq!(ended.out.matches("SIZE = 4\n").count(), 1, "{}", ended.out);

    let ended = write("state = { windw = 2, small = 128, keys = 1, CONSTANT = 4 }");
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
    insta::assert_snapshot!(ended.err);
    let ended = write("fuel = 3\nstate = [1]");
    assert!(
        ended.err.contains("expected a table, found an array"),
        "{}",
        ended.err
    );
}

#[test]
fn summary_says_once_that_computing_is_free() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let summary = |scenario: &str| {
        fs::write(directory.path().join("s.toml"), scenario).expect("it can be written");
        let ended = jive_in(directory.path(), words("run s.toml --trace none"), b"");
        assert_eq!(ended.status, 0, "{}", ended.err);
        ended.out
    };
    let text = BUILTIN
        .iter()
        .find(|builtin| builtin.name == "pingpong")
        .expect("it is there")
        .text;
    let free =
        "Under `lanai-1998` bytecodes take no time of their own; `profile = \"modern\"` counts it.";
    assert_eq!(summary(text).matches(free).count(), 1);
    let modern = summary(&format!(
        "profile = \"modern\"\n{}",
        text.replace("profile = \"lanai-1998\"", "")
    ));
    assert!(!modern.contains("bytecodes take no time"), "{modern}");
}

#[test]
fn calls_that_trap_are_among_the_bytecodes_per_call() {
    let ended = jive(["run", "single-buffer", "--trace", "json"]);
    let events = ended
        .out
        .lines()
        .map(serde_json::from_str::<serde_json::Value>);
    let events = Vec::from_iter(events.map(|event| event.expect("JSON Lines")));
    let count = |name: &str, method: &str| {
        let of = |event: &&serde_json::Value| event["event"] == name && event["method"] == method;
        events.iter().filter(of).count()
    };
    let summary = events.last().expect("a summary");
    let rows = summary["methods"].as_array().expect("a list");
    let sum = |key: &str| -> u64 {
        rows.iter()
            .map(|row| row[key].as_u64().expect("a count"))
            .sum()
    };
    let calls: usize = ["<clinit>", "<init>", "doTx", "doRx"]
        .map(|method| count("applet-call", method))
        .iter()
        .sum();
    assert_eq!(sum("calls"), calls as u64, "{summary}");
    let traps = events
        .iter()
        .filter(|event| event["event"] == "trap")
        .count();
    assert!(traps > 0, "the scenario has traps");
    assert_eq!(sum("calls_trapped"), traps as u64);
}

#[test]
fn quiet_leaves_out_remarks_only() {
    let loud = jive(words("run pingpong"));
    let quiet = jive(words("run pingpong --quiet"));
    assert_eq!((quiet.status, quiet.err.as_str()), (0, ""));
    let (trace, _) = loud.out.split_once("virtual time").expect("a summary");
    assert_eq!(quiet.out, trace);

    let directory = tempfile::tempdir().expect("a temporary directory");
    let jive = |line: &str| jive_in(directory.path(), words(line), b"");
    fs::write(directory.path().join("drop.toml"), BUILTIN[5].text).expect("it can be written");
    for line in [
        "test drop.toml --bless --quiet",
        "--quiet test",
        "stub --out . --quiet",
    ] {
        let ended = jive(line);
        assert_eq!(
            (ended.status, ended.out.as_str(), ended.err.as_str()),
            (0, "", ""),
            "{line}"
        );
    }
    fs::write(directory.path().join("drop.trace"), "").expect("it can be written");
    let differs = jive("test --quiet");
    assert_eq!(differs.status, 1);
    assert!(
        differs.out.starts_with("differs: ./drop.toml"),
        "{}",
        differs.out
    );
}

#[test]
fn a_scenario_in_full_has_the_same_run() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let full = jive_in(directory.path(), words("run all-to-all --expand"), b"");
    assert_eq!((full.status, full.err.as_str()), (0, ""));
    assert!(full.out.contains("name = \"core3\""), "{}", full.out);
    assert!(!full.out.contains("{0.."), "{}", full.out);
    fs::write(directory.path().join("full.toml"), &full.out).expect("written");
    let run = |name: &str| jive_in(directory.path(), words(&format!("run {name}")), b"").out;
    assert_eq!(run("full.toml"), run("all-to-all"));
    // Keys are set before, and mistakes refuse it.
    let set = words("run all-to-all --expand --set topology.size=8");
    let larger = jive_in(directory.path(), set, b"");
    assert!(larger.out.contains("name = \"core15\""), "{}", larger.out);
    let wrong = words("run all-to-all --expand --set topology.size=3");
    let wrong = jive_in(directory.path(), wrong, b"");
    assert_eq!((wrong.status, wrong.out.as_str()), (2, ""));
    assert!(
        wrong.err.contains("an even number of ports"),
        "{}",
        wrong.err
    );
}

#[test]
fn a_class_in_place_of_a_scenario_is_told_how_it_runs() {
    let ended = jive(words("run Oops.class"));
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
    for way in [
        "`jive run --applet Oops.class --in CAPTURE`",
        "`jive packet Oops.class --rx BYTES`",
    ] {
        assert!(ended.err.contains(way), "{}", ended.err);
    }
}
