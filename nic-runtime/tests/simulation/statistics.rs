//! Statistics against what the scenario implies.

use std::collections::BTreeSet;

use nic_core::event::roles::Step;
use nic_core::event::{Event, Names, Sink};
use nic_core::id::PostNumber;
use nic_core::time::{SimDuration, SimTime};
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

/// Returns a scenario in which messages of one NIC go to many others over a crossbar.
fn fan_out(root: &str, receivers: u32, repeat: u32) -> String {
    let mut text = format!(
        "profile = 'lanai-1998-switched'\n{root}\n\
         [[nic]]\nname = 'hub'\n[[endpoint]]\nnic = 'hub'\nname = 'hub'\ntx_queue = 256\n"
    );
    for receiver in 1..=receivers {
        text += &format!(
            "[[nic]]\nname = 'n{receiver}'\n[[endpoint]]\nnic = 'n{receiver}'\nname = 'r{receiver}'\n\
             [[channel]]\nhub = {receiver}\nr{receiver} = 1\n\
             [[send]]\nendpoint = 'r{receiver}'\nchannel = 1\npayload = {{ count = 2000 }}\nrepeat = {repeat}\n\
             [[send]]\nendpoint = 'hub'\nchannel = {receiver}\npayload = {{ count = 40 }}\n"
        );
    }
    text
}

/// When each packet begins to leave for the NIC `hub`, how long it has waited, and how long it takes.
#[derive(Default)]
struct ToHub(Vec<(SimTime, SimDuration, SimDuration)>);

impl Sink for ToHub {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        if let Step::Forwarded(packet) = event.kind.step()
            && names.nic(packet.next) == "hub"
        {
            self.0.push((event.time, packet.waited, packet.duration));
        }
    }
}

#[test]
fn ports_count_from_the_end_of_the_warm_up_to_the_end_of_the_run() {
    let mut with_queue = 0;
    for from in [0, 20, 33, 100] {
        let root = format!("until = '200us'\nstats = {{ from = '{from}us' }}");
        let text = fan_out(&root, 3, 20);
        let scenario = parse(text.as_bytes(), None, None).expect("it is valid");
        let mut sinks = (Stats::new(&scenario), ToHub::default());
        let run = Run::new(&scenario).sink(&mut sinks);
        let end = run.execute().expect("it can be run").end.time;
        let (mut stats, ToHub(left)) = sinks;
        stats.end(end);
        let report = stats.report();
        let mut ports = report.switches[0].ports.iter();
        let port = ports.find(|port| port.to == "hub").expect("it is there");
        let from = SimTime::ZERO + SimDuration::from_ns(1_000 * from);
        // How much of a span is in the time that counts.
        let within = |begin: SimTime, over: SimTime| over.min(end).since(begin.max(from)).as_ps();
        let counted = || left.iter().filter(|(time, ..)| *time >= from);
        assert!(counted().count() > 0, "{from}");
        assert_eq!(port.packets, counted().count() as u64, "{from}");
        assert_eq!(port.bytes, 2_000 * port.packets, "{from}");
        let busy: u64 = left
            .iter()
            .map(|(time, _, takes)| within(*time, *time + *takes))
            .sum();
        assert_eq!(port.busy_ns, busy / 1_000, "{from}");
        let waited: u64 = counted().map(|(_, waited, _)| waited.as_ps()).sum();
        assert_eq!(port.waited_ns, waited / 1_000, "{from}");
        let came = |(time, waited, _): &(SimTime, SimDuration, SimDuration)| {
            SimTime::from_ps(time.as_ps() - waited.as_ps())
        };
        let queued: u64 = counted().map(|packet| within(came(packet), packet.0)).sum();
        let window = end.since(from).as_ps() as f64;
        assert!(
            (port.queue_mean - queued as f64 / window).abs() < 1e-9,
            "{from}"
        );
        assert!(
            (port.utilisation - busy as f64 / window).abs() < 1e-9,
            "{from}"
        );
        with_queue += u32::from(port.queue_mean > 0.0 && port.queue_max > 0);
    }
    assert!(
        with_queue > 1,
        "packets wait in {with_queue} of the windows"
    );
}

#[test]
fn many_ports_with_similar_names_share_a_row_of_the_page() {
    let text = fan_out("", 9, 2);
    let scenario = parse(text.as_bytes(), None, None).expect("it is valid");
    let mut summary = Summary::new(&scenario);
    let run = Run::new(&scenario).sink(&mut summary);
    let end = run.execute().expect("it can be run").end;
    summary.end(end.time, end.reason);
    let rows = |summary: &Summary| -> Vec<String> {
        let page = summary.to_string();
        let rows = page.lines().filter(|line| line.starts_with("crossbar "));
        rows.map(|row| row.split_whitespace().take(4).collect::<Vec<_>>().join(" "))
            .collect()
    };
    assert_eq!(
        rows(&summary),
        ["crossbar hub 18 36000", "crossbar n* (9) 9"]
    );
    summary.show_endpoints();
    let each = rows(&summary);
    assert_eq!(each.len(), 10);
    assert_eq!(each[9], "crossbar n9 1 40");
}

/// Ports without packets are ports of their row: nine in use of sixteen are not all in use.
#[test]
fn a_row_of_ports_has_the_mean_of_all_of_them() {
    let mut text = fan_out("", 16, 2);
    for idle in 10..=16 {
        let send =
            format!("[[send]]\nendpoint = 'hub'\nchannel = {idle}\npayload = {{ count = 40 }}\n");
        assert!(text.contains(&send));
        text = text.replace(&send, "");
    }
    let scenario = parse(text.as_bytes(), None, None).expect("it is valid");
    let mut summary = Summary::new(&scenario);
    let run = Run::new(&scenario).sink(&mut summary);
    let end = run.execute().expect("it can be run").end;
    summary.end(end.time, end.reason);
    let value = serde_json::to_value(&summary).expect("JSON");
    let ports = value["switches"][0]["ports"].as_array().expect("rows");
    let others = ports.iter().filter(|port| port["to"] != "hub");
    let used: f64 = others.filter_map(|port| port["utilisation"].as_f64()).sum();
    let page = summary.to_string();
    let row = page
        .lines()
        .find(|line| line.contains("n* ("))
        .expect("a row");
    assert!(row.contains("n* (16)"), "{row}");
    let mean = format!("{:.1} %", 100.0 * used / 16.0);
    assert!(row.contains(&mean), "{mean}: {row}");
}
