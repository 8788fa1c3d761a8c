//! The number of a post goes with the message, over each interface and through applets that keep messages.

use std::collections::BTreeMap;

use nic_core::event::roles::Step;
use nic_core::event::{Event, Names, NicEvent, Sink};
use nic_core::id::PostNumber;
use nic_runtime::Run;
use nic_runtime::export::stats::Stats;
use nic_runtime::scenario::parse;

/// What was posted and shown.
#[derive(Default)]
struct Seen {
    posted: BTreeMap<PostNumber, Vec<u8>>,
    delivered: Vec<(Option<PostNumber>, Vec<u8>)>,
    /// The posts of packets that left.
    sent: Vec<Option<PostNumber>>,
    unwanted: bool,
}

impl Sink for Seen {
    fn wants_posts(&self) -> bool {
        !self.unwanted
    }

    fn event(&mut self, _: &dyn Names, event: &Event<'_>) {
        match event.kind.step() {
            Step::Posted {
                number, payload, ..
            } => {
                let earlier = self.posted.insert(number, payload.to_vec());
                assert_eq!(earlier, None, "{number:?} is given once");
            }
            Step::Delivered { post, payload, .. } => {
                self.delivered.push((post, payload.bytes().collect()));
            }
            _ => {}
        }
        if let nic_core::event::EventKind::Nic(NicEvent::WireTx { post, part, .. }) = event.kind
            && part.is_none_or(|part| part.opens.is_some())
        {
            self.sent.push(post);
        }
    }
}

/// Returns a scenario in which two endpoints with these keys send each other messages, each different from all others.
fn scenario(profile: &str, link: &str, keys: &str) -> String {
    let mut text = format!(
        "until = '10s'\nmax_events = 1000000\nprofile = '{profile}'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[link]]\nbetween = ['a', 'b']\n{link}\n\
         [[endpoint]]\nnic = 'a'\nname = 'client'\n{keys}\n\
         [[endpoint]]\nnic = 'b'\nname = 'server'\n{keys}\n\
         [[channel]]\nclient = 1\nserver = 1\n"
    );
    for number in 0..24 {
        let (from, length) = (["client", "server"][number % 2], [9, 60, 700][number % 3]);
        let bytes = "ab".repeat(length);
        text += &format!(
            "[[send]]\nendpoint = '{from}'\nchannel = 1\nat = '{}us'\npayload = {{ hex = '{number:02x}{bytes}' }}\n",
            // Some come together, and some after all the others are over.
            10 + number / 8 * 400
        );
    }
    text
}

fn run(text: &str, seen: &mut Seen) {
    let scenario = parse(text.as_bytes(), None, Some(1)).unwrap_or_else(|e| panic!("{e}: {text}"));
    Run::new(&scenario)
        .sink(seen)
        .execute()
        .expect("it can be run");
}

const RELIABLE: &str =
    "applet = 'builtin:Reliable'\nstate = { WINDOW = 1, QUEUE_BITS = 5, SLOT = 712 }";

#[test]
fn a_descriptor_has_the_post_whose_bytes_it_shows() {
    let chain = "applet = ['builtin:Reliable', 'builtin:RawUnet']\nstate = [{ WINDOW = 1, QUEUE_BITS = 5, SLOT = 712 }, {}]";
    for (profile, link, keys) in [
        ("lanai-1998", "", ""),
        ("lanai-1998", "", "applet = 'builtin:RawUnet'"),
        (
            "lanai-1998",
            "duplicate = 0.3\nreorder = 0.3",
            "applet = 'builtin:RawUnet'",
        ),
        ("lanai-1998", "", RELIABLE),
        ("lanai-1998", "loss = 0.3", RELIABLE),
        ("lanai-1998", "loss = 0.3", chain),
        ("tigon2-2002", "loss = 0.2", "interface = 'emp'"),
        ("giganet-1999", "", "interface = 'via'"),
        ("clan-2001", "", "interface = 'via'"),
    ] {
        let what = format!("{profile} {link} {keys}");
        let mut seen = Seen::default();
        run(&scenario(profile, link, keys), &mut seen);
        assert_eq!(seen.posted.len(), 24, "{what}");
        assert!(
            seen.delivered.len() >= 24,
            "{what}: {}",
            seen.delivered.len()
        );
        for (post, bytes) in &seen.delivered {
            let post = post.unwrap_or_else(|| panic!("comes from no post: {bytes:02x?} {what}"));
            assert_eq!(seen.posted[&post], *bytes, "{what}");
        }
        // Without the wish, the events are the same but for the numbers.
        let mut without = Seen {
            unwanted: true,
            ..Seen::default()
        };
        run(&scenario(profile, link, keys), &mut without);
        assert!(without.delivered.iter().all(|(post, _)| post.is_none()));
        assert!(without.sent.iter().all(Option::is_none));
        assert_eq!(without.sent.len(), seen.sent.len(), "{what}");
    }
}

#[test]
fn statistics_have_the_latency_of_each_message_that_was_repeated() {
    let text = scenario("lanai-1998", "loss = 0.3", RELIABLE);
    let scenario = parse(text.as_bytes(), None, Some(1)).expect("it is valid");
    let mut stats = Stats::new(&scenario);
    let end = Run::new(&scenario)
        .sink(&mut stats)
        .execute()
        .expect("it can be run")
        .end;
    stats.end(end.time);
    let total = stats.report().total;
    let latency = total.latency_ns.expect("messages were delivered");
    assert_eq!((total.delivered, latency.count), (24, 24));
}

#[test]
fn a_report_from_a_timer_comes_from_no_post() {
    let text = scenario("lanai-1998", "", "applet = 'builtin:Telemetry'");
    let mut seen = Seen::default();
    run(&text, &mut seen);
    // The applet's reports have 16 bytes, as no message has.
    let (reports, messages): (Vec<_>, Vec<_>) = seen
        .delivered
        .iter()
        .partition(|(_, bytes)| bytes.len() == 16);
    assert!(!reports.is_empty());
    assert!(reports.iter().all(|(post, _)| post.is_none()));
    assert_eq!(messages.len(), 24);
    assert!(messages.iter().all(|(post, _)| post.is_some()));
}

#[test]
fn an_answer_has_the_post_of_its_request() {
    let text = include_str!("../../../tests/scenarios/ping-pong.toml").replace("../../", "../");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let scenario = parse(text.as_bytes(), Some(&root), None);
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    let mut seen = Seen::default();
    Run::new(&scenario)
        .sink(&mut seen)
        .execute()
        .expect("it can be run");
    let post = seen.posted.keys().next().copied();
    assert!(post.is_some());
    assert_eq!(seen.sent, [post, post]);
}
