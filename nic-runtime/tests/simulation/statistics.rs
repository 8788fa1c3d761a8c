//! Statistics against what the scenario implies.

use std::collections::BTreeSet;

use nic_core::event::roles::Step;
use nic_core::event::{Event, Names, Sink};
use nic_core::id::PostNumber;
use nic_runtime::Run;
use nic_runtime::export::stats::{Stats, StatsReport};
use nic_runtime::export::summary::Summary;
use nic_runtime::scenario::parse;

/// Returns the text of a scenario with a client and a server, which has these keys at the place of each name.
fn text(root: &str, link: &str, endpoints: [&str; 2], send: &str) -> String {
    let [client, server] = endpoints;
    format!(
        "{root}\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n[[link]]\nbetween = ['a', 'b']\n{link}\n\
         [[endpoint]]\nnic = 'a'\nname = 'client'\n{client}\n[[endpoint]]\nnic = 'b'\nname = 'server'\n{server}\n\
         [[channel]]\nclient = 1\nserver = 1\n[[send]]\nendpoint = 'client'\nchannel = 1\n{send}\n"
    )
}

/// The posts whose messages a user was shown. Without applets each packet has that of its message.
#[derive(Default)]
struct Arrived(BTreeSet<PostNumber>);

impl Sink for Arrived {
    fn event(&mut self, _: &dyn Names, event: &Event<'_>) {
        if let Step::Delivered { post, .. } = event.kind.step() {
            self.0.extend(post);
        }
    }
}

/// Runs a scenario, and returns its statistics and the summary's numbers of messages and of notices.
fn run(text: &str) -> (StatsReport, u64, u64) {
    let scenario = parse(text.as_bytes(), None, None).expect("it is valid");
    let mut sinks = (Stats::new(&scenario), Summary::new(&scenario));
    let run = Run::new(&scenario).sink(&mut sinks);
    let end = run.execute().expect("it can be run").end;
    let (mut stats, mut summary) = sinks;
    stats.end(end.time);
    summary.end(end.time, end.reason);
    let totals = summary.totals();
    (stats.report(), totals.delivered, totals.notices)
}

#[test]
fn a_refusal_of_an_applet_is_a_notice_and_its_message_is_lost() {
    // All messages are due at once, and the applet keeps one at a time: it refuses most of them.
    let reliable = "applet = 'builtin:Reliable'\nstate = { QUEUE_BITS = 0 }";
    let send = "payload = { count = 40 }\nrepeat = 30";
    let (stats, delivered, notices) = run(&text("", "", [reliable; 2], send));
    let [client, server] = &stats.endpoints[..] else {
        panic!("expected two endpoints");
    };
    assert!(client.notices > 10, "{}", client.notices);
    assert_eq!(
        (client.traffic.posted, server.notices, notices),
        (30, 0, client.notices)
    );
    assert_eq!((client.traffic.delivered, server.traffic.posted), (0, 0));
    let arrived = 30 - client.notices;
    assert_eq!((server.traffic.delivered, delivered), (arrived, arrived));
    assert_eq!(client.traffic.arrived, arrived);
    assert_eq!(client.traffic.loss, Some(client.notices as f64 / 30.0));
    assert_eq!((server.traffic.loss, server.traffic.untimed), (None, 0));
}

#[test]
fn an_echo_answers_no_notice() {
    // The server's applet refuses answers, and its user is told so.
    let client = "applet = 'builtin:Reliable'";
    let server = "applet = 'builtin:Reliable'\nstate = { QUEUE_BITS = 0 }\nhost = 'echo'";
    let send = "payload = { count = 40 }\nrepeat = 100\nevery = '20us'";
    let (stats, ..) = run(&text("until = '1s'", "loss = 0.2", [client, server], send));
    let server = &stats.endpoints[1];
    assert!(server.notices > 0, "{server:?}");
    assert!(
        stats.channels.iter().all(|row| row.channel >= 0),
        "{:?}",
        stats.channels
    );
    assert_eq!(server.traffic.posted, server.traffic.delivered);
    assert_eq!(stats.endpoints[0].traffic.delivered, server.traffic.arrived);
}

#[test]
fn a_loss_that_is_not_known_is_not_shown() {
    // TokenFlow moves messages within the NIC, where their posts are lost: all arrive, some seemingly twice.
    let scenario = nic_runtime::scenario::builtin("token-flow").expect("it is shipped");
    let (stats, delivered, _) = run(scenario.text);
    assert_eq!((delivered, stats.total.posted), (10, 10));
    assert!(stats.total.arrived < 10, "{:?}", stats.total);
    assert_eq!(
        (stats.total.loss, stats.endpoints[0].traffic.loss),
        (None, None)
    );
    // More messages wait than are known.
    let client = "tx_queue = 65536\nbuffer_area = '8MiB'";
    let send = "payload = { zeros = 8 }\nrepeat = 40000";
    let text = text(
        "until = '100s'\nmax_events = 100000000",
        "",
        [client, ""],
        send,
    );
    let text = text.replace("name = 'a'", "name = 'a'\nsram = '4MiB'");
    let (stats, delivered, _) = run(&text);
    assert_eq!(delivered, 40_000);
    assert!(stats.total.untimed > 0, "{:?}", stats.total);
    assert_eq!(stats.total.loss, None);
}

#[test]
fn a_message_that_a_link_copies_arrives_once() {
    let send = "payload = { count = 40 }\nrepeat = 200\nevery = '100us'";
    let (stats, delivered, _) = run(&text("", "duplicate = 0.5\nloss = 0.2", ["", ""], send));
    let Some(loss) = stats.total.loss else {
        panic!("expected a loss");
    };
    assert!(delivered > 200, "{delivered}");
    assert_eq!(stats.total.delivered, delivered);
    assert!((0.1..0.3).contains(&loss), "{loss}");
    let text = text("", "duplicate = 0.5\nloss = 0.2", ["", ""], send);
    let scenario = parse(text.as_bytes(), None, None).expect("it is valid");
    let mut arrived = Arrived::default();
    let run_again = Run::new(&scenario).sink(&mut arrived).execute();
    run_again.expect("it can be run");
    assert_eq!(loss, (200 - arrived.0.len()) as f64 / 200.0);
    // The same messages, those of the warm-up left out: each is counted with its post, so that the loss stays a share.
    for from in ["1us", "150us", "10ms", "19950us"] {
        let root = format!("stats = {{ from = '{from}' }}");
        let (later, ..) = run(&format!("{root}\n{text}"));
        let total = &later.total;
        assert!(total.arrived <= total.posted, "{from}: {total:?}");
        assert!(
            total.loss.is_none_or(|loss| (0.0..=1.0).contains(&loss)),
            "{from}: {total:?}"
        );
    }
}

#[test]
fn a_transfer_that_outlasts_the_run_counts_up_to_its_end() {
    let send = "payload = { zeros = 4000 }\nrepeat = 4";
    // The run ends at each microsecond of the first two messages.
    for until in 20..120 {
        let root = format!("until = '{until}us'");
        let (stats, ..) = run(&text(&root, "", ["", ""], send));
        for nic in &stats.nics {
            for share in [nic.dma_in, nic.dma_out, nic.wire] {
                assert!((0.0..=1.0).contains(&share), "{until}: {nic:?}");
            }
        }
    }
    let whole = run(&text("", "", ["", ""], send)).0;
    assert!(whole.nics[0].wire > 0.1, "{:?}", whole.nics[0]);
}

#[test]
fn statistics_that_begin_after_the_run_say_so() {
    let (stats, ..) = run(&text(
        "stats = { from = '1s' }",
        "",
        ["", ""],
        "payload = { zeros = 8 }",
    ));
    assert_eq!((stats.total.posted, stats.total.loss), (0, None));
    let page = stats.to_string();
    assert!(page.contains("the run ended before them"), "{page}");
}
