//! Traces of every shipped applet, and properties of all runs: determinism and isolation.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use nic_runtime::scenario::{BUILTIN, ScenarioError};
use tests::simulation::{Messages, Received, run, scenario, trace};

/// Returns the text of a scenario in `tests/scenarios`.
fn scenario_text(name: &str) -> String {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    fs::read_to_string(directory.join(format!("{name}.toml"))).expect("a committed file")
}

fn messages(text: &str, directory: Option<&Path>) -> Vec<Received> {
    let mut messages = Messages::default();
    run(&scenario(text, directory, None), &mut messages);
    messages.0
}

macro_rules! trace_snapshots {
    ($($test:ident: $scenario:literal;)+) => {$(
        #[test]
        fn $test() {
            let text = scenario_text($scenario);
            insta::assert_snapshot!($scenario, trace(&scenario(&text, None, None)));
        }
    )+};
}

trace_snapshots! {
    raw_unet_delivers_inline_and_over_two_buffers: "raw-unet";
    raw_unet_keeps_the_buffers_of_a_dropped_packet: "raw-unet-spare";
    raw_unet_single_takes_a_buffer_from_57_bytes_on: "raw-unet-single";
    ping_pong_stays_inside_the_nics: "ping-pong";
    drop_delivers_what_is_wanted: "drop";
    counter_counts_each_channel_apart: "counter";
    generator_sends_without_a_transfer: "generator";
    null_call_calls_one_native: "null-call";
    emp_uses_records_and_receives_again_before_and_after_each_time_out: "emp-spaced";
    a_message_that_does_not_fit_follows_the_dma_before_it: "clan-too-long";
    a_returned_buffer_opens_no_closed_window: "clan-deregistered";
    nics_of_two_papers_have_peers_on_a_third: "two-papers";
}

#[test]
fn a_swap_waits_for_the_running_call() {
    let builtin = nic_runtime::scenario::builtin("swap").expect("a built-in scenario");
    insta::assert_snapshot!("swap", trace(&scenario(builtin.text, None, None)));
}

#[test]
fn a_class_travels_in_packets_to_three_nics() {
    let builtin = nic_runtime::scenario::builtin("capsules").expect("a built-in scenario");
    insta::assert_snapshot!("capsules", trace(&scenario(builtin.text, None, None)));
}

#[test]
fn burst_25_transfers_once_and_sends_25_times() {
    let trace = trace(&scenario(&scenario_text("burst-25"), None, None));
    let sender: Vec<&str> = trace
        .lines()
        .filter(|line| line.contains(" a     "))
        .collect();
    insta::assert_snapshot!("burst-25", sender.join("\n"));
}

#[test]
fn ack_in_nic_answers_the_25th_message() {
    let trace = trace(&scenario(&scenario_text("ack-in-nic"), None, None));
    let last = trace.rfind(" tx-post ").expect("messages are posted");
    let line = trace[..last].rfind('\n').map_or(0, |end| end + 1);
    insta::assert_snapshot!("ack-in-nic", &trace[line..]);
}

/// What joins NICs of different papers is a link with a profile, and an endpoint of the same interface at both ends.
#[test]
fn nics_of_two_papers_are_joined_by_a_link_with_a_profile_and_one_interface() {
    let text = scenario_text("two-papers");
    let refused = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        match nic_runtime::scenario::parse(changed.as_bytes(), None, None) {
            Err(ScenarioError::Mistakes(mistakes)) => {
                let said = mistakes.iter().map(|mistake| mistake.kind.to_string());
                said.collect::<Vec<_>>().join("\n")
            }
            other => panic!("expected mistakes: {:?}", other.map(|_| ())),
        }
    };
    let named = "between = [\"emp\", \"both\"]\nprofile = \"tigon2-2002\"";
    for (from, to, expected) in [
        (
            named,
            "between = [\"emp\", \"both\"]",
            "have different profiles, so it needs one of its own: add `profile`",
        ),
        (
            named,
            "between = [\"clan\", \"clan\"]",
            "have different profiles and so no link by default: add a `[[link]]`",
        ),
        (
            "left = 1\nright = 1",
            "left = 1\nwriter = 2",
            "packets of `via` and `emp` differ",
        ),
        (
            "nic = \"clan\"\nname = \"left\"\ninterface = \"via\"",
            "nic = \"clan\"\nname = \"left\"\ninterface = \"emp\"",
            "needs the section `[emp]`",
        ),
        (
            "provider = \"clan\"",
            "provider = \"hardware\"",
            "expected the same `provider` at both ends",
        ),
    ] {
        let error = refused(from, to);
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

/// A scenario of two endpoints and a link with every fault, for 30 messages of random bytes.
const LOSSY: &str = r#"
    [[nic]]
    name = "a"
    [[nic]]
    name = "b"
    [[link]]
    between = ["a", "b"]
    loss = 0.3
    duplicate = 0.1
    corrupt = 0.1
    reorder = 0.2
    [[endpoint]]
    nic = "a"
    name = "client"
    applet = "builtin:RawUnet"
    [[endpoint]]
    nic = "b"
    name = "server"
    applet = "builtin:RawUnet"
    host = "echo"
    [[channel]]
    client = 1
    server = 7
    [[send]]
    endpoint = "client"
    channel = 1
    at = "10us"
    payload = { random = 200 }
    repeat = 30
    every = "300us"
"#;

#[test]
fn one_seed_gives_one_trace() {
    let first = trace(&scenario(LOSSY, None, Some(5)));
    let second = trace(&scenario(LOSSY, None, Some(5)));
    assert!(first == second, "two runs with one seed differ");
}

#[test]
fn every_shipped_scenario_runs_alike_twice() {
    for builtin in BUILTIN {
        let scenario = scenario(builtin.text, None, None);
        assert!(
            trace(&scenario) == trace(&scenario),
            "two runs of {} differ",
            builtin.name
        );
    }
}

#[test]
fn another_seed_gives_other_losses() {
    let drops = |seed| {
        trace(&scenario(LOSSY, None, Some(seed)))
            .lines()
            .filter(|line| line.contains("wire-drop"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_ne!(drops(5), drops(6));
}

#[test]
fn hundred_endpoints_on_a_lossy_nic_get_ten_messages() {
    const ENDPOINTS: usize = 100;
    const SENDS: usize = 30;
    let mut text = String::from(
        "[[nic]]\nname = \"a\"\nsram = \"16MiB\"\n\
         [[link]]\nbetween = [\"a\", \"a\"]\nloss = 0.3\n",
    );
    for i in 0..ENDPOINTS {
        let at = 10 + 100 * i;
        let peer = i ^ 1;
        write!(
            text,
            "[[endpoint]]\nnic = \"a\"\nname = \"e{i}\"\napplet = \"builtin:RawUnet\"\n\
             [[send]]\nendpoint = \"e{i}\"\nchannel = {peer}\nat = \"{at}us\"\n\
             payload = {{ count = 100 }}\nrepeat = {SENDS}\nevery = \"20ms\"\n"
        )
        .expect("a string takes all that is written");
        if i < peer {
            write!(text, "[[channel]]\ne{i} = {peer}\ne{peer} = {i}\n")
                .expect("a string takes all that is written");
        }
    }
    let received = messages(&text, None);
    let expected: Vec<u8> = (0..100).collect();
    for i in 0..ENDPOINTS {
        let name = format!("e{i}");
        let own: Vec<&Received> = received.iter().filter(|m| m.endpoint == name).collect();
        // Each endpoint should receive 21 of 30 messages; fewer than 10 arrive for one seed in a million.
        assert!(own.len() >= 10, "{name} received {}", own.len());
        let peer = i32::try_from(i ^ 1).expect("small");
        assert!(
            own.iter()
                .all(|m| m.channel == peer && m.payload == expected)
        );
    }
    let lost = ENDPOINTS * SENDS - received.len();
    // The link should lose 900 messages, with a standard deviation of 25.
    assert!((775..=1025).contains(&lost), "{lost} of 3000 lost");
}
