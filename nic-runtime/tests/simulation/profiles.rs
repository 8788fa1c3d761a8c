//! NICs with different profiles.

use nic_runtime::profile::Profile;
use nic_runtime::scenario::{self, MistakeKind, ScenarioError};
use serde_json::Value;

use crate::random_runs;
use crate::scenario::read;
use crate::trace::{number, run, simulate, texts};

#[test]
fn profile_of_every_nic_equals_that_of_the_scenario() {
    let mut differs = false;
    for seed in 0..20 {
        let toml = random_runs::scenario(seed).replace("1MiB", "8MiB");
        let of_all = format!("profile = 'modern'\n{toml}");
        let of_each = toml.replace("[[nic]]", "[[nic]]\nprofile = 'modern'");
        // The traces are compared without the header line, which names the profiles.
        let events = |toml: &str| {
            run(toml)
                .text
                .split_once('\n')
                .expect("a head")
                .1
                .to_owned()
        };
        let expected = events(&of_all);
        assert_eq!(events(&of_each), expected, "seed {seed}");
        differs |= expected != events(&toml);
    }
    assert!(differs, "the profile makes no difference");
}

/// A scenario of two NICs with different profiles; an endpoint on each NIC sends one message.
fn two_kinds(keys: &str, payload: u32) -> String {
    format!(
        "profile = 'lanai-1998-parallel'\n[[nic]]\nname = 'old'\n[[nic]]\nname = 'new'\nprofile = 'modern'\n\
         {keys}\n[[endpoint]]\nname = 'a'\nnic = 'old'\n[[endpoint]]\nname = 'b'\nnic = 'new'\n\
         [[channel]]\na = 1\nb = 1\n\
         [[send]]\nendpoint = 'a'\nchannel = 1\nat = '10us'\npayload = {{ count = {payload} }}\n\
         [[send]]\nendpoint = 'b'\nchannel = 1\nat = '10ms'\npayload = {{ count = {payload} }}\n"
    )
}

#[test]
fn each_nic_moves_messages_as_its_own_profile_says() {
    let link = "[[link]]\nbetween = ['old', 'new']\nprofile = 'modern'";
    let trace = run(&two_kinds(link, 4_000));
    let picoseconds = |name: &str| {
        let profile = Profile::builtin(name).expect("it is built in");
        4_000 * (1_000_000_000_000 / profile.dma.bandwidth.get())
    };
    let moves = |endpoint: &str, profile: &str| {
        let took = trace.at(endpoint, "dma");
        let took: Vec<u64> = took.iter().map(|event| number(event, "dur_ns")).collect();
        assert_eq!(took, [picoseconds(profile) / 1_000; 2], "{endpoint}");
    };
    moves("a", "lanai-1998-parallel");
    moves("b", "modern");
    let wire = Profile::builtin("modern").expect("it is built in").wire;
    let took = 4_000 * (1_000_000_000_000 / wire.bandwidth.get()) / 1_000 + wire.latency.as_ns();
    for (sent, received) in trace.of("wire-tx").iter().zip(trace.of("wire-rx")) {
        assert_eq!(number(received, "t_ns") - number(sent, "t_ns"), took);
    }
    let head: Value = serde_json::from_str(trace.text.lines().next().expect("a head"))
        .expect("the head is an object");
    assert_eq!(head["profile"], "lanai-1998-parallel");
    assert_eq!(head["nic_profiles"], serde_json::json!({ "new": "modern" }));
}

#[test]
fn endpoint_sends_no_more_than_its_peers_have_room_for() {
    let link = "[[link]]\nbetween = ['old', 'new']\nprofile = 'modern'";
    for (length, expected) in [(1_501, ["refused"; 2]), (1_500, ["ok"; 2])] {
        let mut scenario = read(&two_kinds(link, length));
        let mut small = Profile::builtin("modern").expect("it is built in");
        small.memory.max_packet = 1_500.try_into().expect("it is not 0");
        scenario.nics[1].profile = Some(small.into());
        let trace = simulate(&scenario).expect("it runs");
        assert_eq!(texts(&trace.of("tx-done"), "status"), expected, "{length}");
    }
}

/// Returns the mistakes that the reader finds in a scenario.
fn mistakes(toml: &str) -> Vec<MistakeKind> {
    match scenario::parse(toml.as_bytes(), None, None) {
        Err(ScenarioError::Mistakes(mistakes)) => {
            mistakes.into_iter().map(|mistake| mistake.kind).collect()
        }
        other => panic!("expected mistakes, found {other:?}"),
    }
}

#[test]
fn a_link_between_different_nics_names_its_profile() {
    let shown = |link: &str| {
        let [kind] = <[_; 1]>::try_from(mistakes(&two_kinds(link, 1))).expect("one mistake");
        kind.to_string()
    };
    assert_eq!(
        shown(""),
        "expected NICs that links join, but `old` and `new` have different profiles and so no link by default: add a `[[link]]`"
    );
    assert_eq!(
        shown("[[link]]\nbetween = ['old', 'new']\nprofile = 'modem'"),
        "expected the name of a built-in profile, or a path such as `mine.toml`"
    );
    assert_eq!(
        shown("[[link]]\nbetween = ['old', 'new']"),
        "the NICs at its ends have different profiles, so it needs one of its own: add `profile`, whose wire it is"
    );
}

#[test]
fn what_a_profile_does_not_speak_of_is_refused() {
    let shown = |endpoint: &str, lacks: fn(&mut Profile)| {
        let mut profile = Profile::builtin("lanai-1998").expect("it is built in");
        lacks(&mut profile);
        let toml = format!("[[nic]]\nname = 'a'\n[[endpoint]]\nname = 'e'\nnic = 'a'\n{endpoint}");
        match scenario::parse_on(&toml, &profile) {
            Ok(_) => String::new(),
            Err(ScenarioError::Mistakes(mistakes)) => mistakes[0].kind.to_string(),
            Err(other) => panic!("{other:?}"),
        }
    };
    let applet = "applet = 'builtin:RawUnet'";
    let channel = "[[channel]]\ne = [1, 2]";
    assert_eq!(
        shown(channel, |profile| profile.base = None),
        "an endpoint of interface `unet` needs the section `[base]`, and the profile `lanai-1998` of its NIC has none"
    );
    assert_eq!(
        shown(applet, |profile| profile.quota = None),
        "an applet needs the section `[quota]`, and the profile `lanai-1998` of its NIC has none"
    );
    assert_eq!(shown(channel, |profile| profile.quota = None), "");
    // An endpoint without a channel has no messages.
    assert_eq!(shown("", |profile| profile.base = None), "");
}
