//! Reads of windows (docs/simulation.md, "Windows and watches").
//!
//! The applet `WindowReader` reads windows as its user says, and passes what its array holds afterwards to the user. The
//! windows belong to the endpoint `owner`, whose program fills them.

use std::sync::Arc;

use nic_core::event::ReadStatus;
use nic_core::time::SimTime;
use nic_runtime::Run;
use nic_runtime::host::{Actions, Happened, Programs, WindowNews};
use nic_runtime::spec::Scenario;
use serde_json::json;

use crate::scenario::read;
use crate::trace::{Trace, number, run_with};
use crate::via_connect::{Does, Log, note, noted, us};

/// Two NICs. The endpoint `owner` has window 0, of 48 bytes, and window 1 behind it, of which `reader` may read only the
/// first.
fn pair((reader, owner, link): (&str, &str, &str), rest: &str) -> String {
    format!(
        "profile = 'clan-programmable'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[link]]\nbetween = ['a', 'b']\n{link}\n\
         [[endpoint]]\nnic = 'a'\nname = 'reader'\n{reader}\n\
         [[endpoint]]\nnic = 'b'\nname = 'owner'\n{owner}\n\
         [[channel]]\nreader = 0\nowner = 1\n\
         [[window]]\nowner = 'owner'\nwriter = 'reader'\nnumber = 0\nlength = 48\nread = true\n\
         [[window]]\nowner = 'owner'\nwriter = 'reader'\nnumber = 1\noffset = 48\nlength = 16\n{rest}"
    )
}

const APPLET: &str = "applet = 'WindowReader.class'";

/// A send of the user of `reader`: window, offset and length of a read, and where its bytes go.
fn asks(at: &str, command: [u8; 5]) -> String {
    let hex: String = command.iter().map(|byte| format!("{byte:02x}")).collect();
    format!(
        "[[send]]\nendpoint = 'reader'\nchannel = 0\nat = '{at}'\npayload = {{ hex = '{hex}' }}\n"
    )
}

/// A program that fills the windows of its endpoint with counting bytes, which begin with a number that grows by 100
/// every 5 ms.
fn counting() -> impl FnMut(Happened<'_>, &mut Actions<'_>) + Send {
    let mut from = 1_u8;
    move |what, actions| {
        if !matches!(what, Happened::Started | Happened::Time) || from > 201 {
            return;
        }
        let home = actions.endpoints()[0];
        actions.fill(
            home,
            0,
            (0..64).map(|byte| from.wrapping_add(byte)).collect(),
        );
        from = from.saturating_add(100);
        actions.wake_at(actions.now() + us(5_000));
    }
}

fn run(toml: &str) -> Trace {
    let programs = Programs::new().with("owner", Does(counting()));
    run_with(&read(toml), programs)
}

/// What the user of `reader` was given: each array that `doRead` passed on.
fn arrays(trace: &Trace) -> Vec<String> {
    let descriptors = trace.at("reader", "rx-descriptor").into_iter();
    let payload = |event: &serde_json::Value| event["payload"].as_str().unwrap_or("").to_owned();
    descriptors.map(payload).collect()
}

/// The arguments of each call of `doRead`: `1000 * window + offset` and the status.
fn ended(trace: &Trace) -> Vec<(u64, u64)> {
    let notes = trace.at("reader", "applet-trace").into_iter();
    notes
        .map(|event| (number(event, "tag"), number(event, "value")))
        .collect()
}

/// An array of `WindowReader` with these bytes in it.
fn array_with(places: &[(usize, &[u8])]) -> String {
    let mut array = [0_u8; 48];
    for (at, bytes) in places {
        array[*at..at + bytes.len()].copy_from_slice(bytes);
    }
    array.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn an_applet_reads_a_window() {
    for interface in ["unet", "via"] {
        let of = |keys: &str| format!("{keys}\ninterface = '{interface}'");
        let toml = pair((&of(APPLET), &of(""), ""), &asks("100us", [0, 2, 3, 5, 0]));
        let trace = run(&toml);
        assert_eq!(ended(&trace), [(2, 0)], "{interface}");
        let done = &trace.at("reader", "read-done")[0];
        assert_eq!(
            (&done["status"], &done["payload"]),
            (&json!("ok"), &json!("030405"))
        );
        // Before `doRead` nothing has changed in the array: `doTx` returned its first byte there.
        let returned = trace.at("reader", "applet-return").into_iter();
        let of_tx = returned.filter(|event| event["method"] == "doTx");
        assert_eq!(
            of_tx
                .map(|event| number(event, "value"))
                .collect::<Vec<_>>(),
            [0]
        );
        if interface == "unet" {
            assert_eq!(arrays(&trace), [array_with(&[(5, &[3, 4, 5])])]);
        }
        // The NIC of the owner fetched the bytes, and none of its processors did anything.
        let fetched = trace.at("owner", "dma");
        assert_eq!(fetched.len(), 1);
        assert_eq!(number(fetched[0], "length"), 3);
    }
}

#[test]
fn reads_of_one_window_end_each_with_its_own_bytes() {
    let both = asks("100us", [0, 0, 4, 0, 0]) + &asks("100us", [0, 44, 4, 40, 0]);
    let later = asks("6ms", [0, 0, 4, 20, 0]);
    let trace = run(&pair((APPLET, "", ""), &(both + &later)));
    assert_eq!(ended(&trace), [(0, 0), (44, 0), (0, 0)]);
    let first: (usize, &[u8]) = (0, &[1, 2, 3, 4]);
    let second: (usize, &[u8]) = (40, &[45, 46, 47, 48]);
    let third: (usize, &[u8]) = (20, &[101, 102, 103, 104]);
    let expected = [vec![first], vec![first, second], vec![first, second, third]];
    assert_eq!(arrays(&trace), expected.map(|places| array_with(&places)));
}

#[test]
fn an_empty_read_at_the_end_of_a_window_ends_too() {
    let trace = run(&pair((APPLET, "", ""), &asks("100us", [0, 48, 0, 48, 0])));
    assert_eq!(ended(&trace), [(48, 0)]);
    assert!(trace.at("owner", "dma").is_empty());
}

#[test]
fn what_an_applet_may_not_read_is_a_trap() {
    let trapped = |command| {
        let trace = run(&pair((APPLET, "", ""), &asks("100us", command)));
        assert!(trace.of("window-read").is_empty() && ended(&trace).is_empty());
        let traps = trace.of("trap");
        (traps[0]["kind"].clone(), traps[0]["values"].clone())
    };
    let fault = |values| (json!("ProtectionFault"), values);
    assert_eq!(
        trapped([0, 47, 2, 0, 0]),
        fault(json!({ "offset": 47, "length": 2, "window_length": 48 }))
    );
    assert_eq!(
        trapped([1, 0, 1, 0, 0]),
        fault(json!({ "window": 1 })),
        "without the right"
    );
    assert_eq!(
        trapped([2, 0, 1, 0, 0]),
        fault(json!({ "window": 2 })),
        "no window"
    );
    assert_eq!(
        trapped([0, 0, 2, 47, 0]),
        fault(json!({ "intoOffset": 47, "length": 2, "array_length": 48 }))
    );
    assert_eq!(
        trapped([0, 0, 1, 0, 1]),
        (json!("TransientEscape"), json!({ "array_length": 48 }))
    );
}

#[test]
fn as_many_reads_are_under_way_as_may_be() {
    let reader = format!("{APPLET}\nrx_queue = 128");
    let trace = run(&pair((&reader, "", ""), &asks("100us", [0, 0, 1, 0, 2])));
    let trap = &trace.of("trap")[0];
    assert_eq!(
        (&trap["kind"], &trap["values"]),
        (&json!("ProtectionFault"), &json!({ "reads_left": 0 }))
    );
    assert_eq!(ended(&trace).len(), 64);
    // Each end makes room for another read.
    let again = asks("100us", [0, 0, 1, 0, 0]).repeat(200);
    assert_eq!(ended(&run(&pair((APPLET, "", ""), &again))).len(), 200);
}

#[test]
fn a_closed_window_refuses_reads_until_it_opens_again() {
    let keys = "interface = 'via'\nfree_buffers = { count = 0, length = 64 }";
    let region = |at: &str, action: &str| {
        format!("[[region]]\nat = '{at}'\nendpoint = 'owner'\naction = '{action}'\n")
    };
    let rest = [
        region("1ms", "deregister"),
        region("6ms", "register"),
        asks("100us", [0, 0, 2, 0, 0]),
        asks("2ms", [0, 0, 2, 0, 0]),
        asks("7ms", [0, 0, 2, 0, 0]),
    ];
    let reader = format!("{APPLET}\ninterface = 'via'");
    let trace = run(&pair((&reader, keys, ""), &rest.concat()));
    assert_eq!(ended(&trace), [(0, 0), (0, 1), (0, 0)]);
    let payloads = trace.at("reader", "read-done").into_iter();
    let payloads: Vec<_> = payloads.map(|done| done["payload"].clone()).collect();
    assert_eq!(payloads, ["0102", "", "6566"]);
    assert_eq!(trace.at("owner", "drop")[0]["reason"], "window-refused");
}

#[test]
fn a_read_without_an_answer_ends_as_lost() {
    // The link loses every packet; or the answer comes when the reader has given up, and changes nothing.
    for link in ["loss = 1.0", "latency = '15ms'"] {
        let rest = asks("100us", [0, 0, 4, 0, 0]);
        let trace = run(&pair((APPLET, "", link), &rest));
        assert_eq!(ended(&trace), [(0, 2)], "{link}");
        assert_eq!(arrays(&trace), [array_with(&[])]);
        let (left, done) = (
            trace.at("reader", "window-read"),
            trace.at("reader", "read-done"),
        );
        let waited = number(done[0], "t_ns") - number(left[0], "t_ns");
        assert!((19_900_000..=20_000_000).contains(&waited), "{waited}");
    }
}

#[test]
fn a_doubled_answer_ends_a_read_once() {
    let rest = asks("100us", [0, 0, 4, 0, 0]) + &asks("300us", [0, 4, 4, 4, 0]);
    let trace = run(&pair((APPLET, "", "duplicate = 1.0"), &rest));
    assert_eq!(ended(&trace), [(0, 0), (4, 0)]);
}

#[test]
fn a_read_waits_its_turn_at_the_owners_dma_engine() {
    // The owner sends 16 messages at once, each of which its NIC fetches, so the read waits behind some of them.
    let sends =
        "[[send]]\nendpoint = 'owner'\nchannel = 1\nat = '100us'\npayload = { zeros = 1400 }\n"
            .repeat(16);
    let rest = asks("110us", [0, 0, 48, 0, 0]);
    let busy = run(&pair((APPLET, "", ""), &(sends + &rest)));
    let idle = run(&pair((APPLET, "", ""), &rest));
    let waited = |trace: &Trace| {
        let (left, done) = (
            trace.at("reader", "window-read"),
            trace.at("reader", "read-done"),
        );
        number(done[0], "t_ns") - number(left[0], "t_ns")
    };
    assert!(
        waited(&busy) > waited(&idle) + 10_000,
        "{} {}",
        waited(&busy),
        waited(&idle)
    );
    let counted: Vec<u8> = (1..=48).collect();
    assert!(arrays(&busy).contains(&array_with(&[(0, &counted)])));
}

#[test]
fn a_swap_forgets_the_reads_of_the_former_applet() {
    let swap = "[[swap]]\nendpoint = 'reader'\nat = '1ms'\napplet = 'WindowReader.class'\n";
    let rest = asks("900us", [0, 0, 4, 0, 0]) + &asks("40ms", [0, 0, 4, 0, 0]) + swap;
    // The answer comes 10 ms after the request, and the swap comes between.
    let trace = run(&pair((APPLET, "", "latency = '5ms'"), &rest));
    assert_eq!(ended(&trace), [(0, 0)]);
    assert_eq!(trace.at("reader", "window-read").len(), 2);
}

#[test]
fn an_applet_without_the_entry_reads_nothing() {
    let rest = asks("100us", [0, 0, 4, 0, 0]).repeat(40);
    let reader = "applet = 'WindowReaderWithoutEntry.class'";
    let trace = run(&pair((reader, "", ""), &rest));
    assert!(trace.of("window-read").is_empty());
    // Nothing keeps the slots that the reads would have needed.
    assert_eq!(trace.at("reader", "tx-done").len(), 40);
}

/// Runs a scenario with a program at `reader`, and returns what happened at its windows.
fn program_reads(
    scenario: &Scenario,
    begin: impl Fn(&mut Actions<'_>) + Send + 'static,
) -> Vec<String> {
    let log = Log::default();
    let seen = Arc::clone(&log);
    let reader = move |what: Happened<'_>, actions: &mut Actions<'_>| match what {
        Happened::Started => actions.wake_at(SimTime::ZERO + us(100)),
        Happened::Time => begin(actions),
        Happened::Window { what, .. } => note(
            &seen,
            match what {
                WindowNews::Read {
                    ticket,
                    status,
                    payload,
                } => {
                    assert!(status == ReadStatus::Ok || payload.is_empty());
                    format!("{ticket} {} {payload:?}", status.word())
                }
                WindowNews::NotPossible { ticket } => format!("{ticket} not possible"),
                other => format!("{other:?}"),
            },
        ),
        _ => {}
    };
    let programs = Programs::new()
        .with("owner", Does(counting()))
        .with("reader", Does(reader));
    let end = Run::new(scenario).programs(programs).execute();
    end.expect("the scenario fits");
    noted(&log)
}

#[test]
fn a_program_reads_a_window() {
    let scenario = read(&pair(
        ("buffer_area = 20000\nfree_buffers = { count = 0 }", "", ""),
        "",
    ));
    let log = program_reads(&scenario, |actions| {
        let home = actions.endpoints()[0];
        actions.read_window(home, 1, (0, 46, 2), 10_000);
        actions.read_window(home, 2, (0, 46, 3), 0);
        actions.read_window(home, 3, (1, 0, 1), 0);
        actions.read_window(home, 4, (7, 0, 1), 0);
        actions.read_window(home, 5, (0, 0, 2), 19_999);
        actions.read_window(home, 6, (0, u32::MAX, 2), 0);
        actions.read_window(home, 7, (0, 0, 48), 19_952);
    });
    let counted: Vec<u8> = (1..=48).collect();
    let mut expected = [2, 3, 4, 5, 6]
        .map(|ticket| format!("{ticket} not possible"))
        .to_vec();
    expected.push("1 ok [47, 48]".to_owned());
    expected.push(format!("7 ok {counted:?}"));
    let mut log = log;
    log.sort_by_key(|line| line.contains("ok"));
    assert_eq!(log, expected);
}

#[test]
fn a_program_learns_that_a_read_is_lost() {
    let scenario = read(&pair(("", "", "loss = 1.0"), ""));
    let log = program_reads(&scenario, |actions| {
        let home = actions.endpoints()[0];
        for ticket in 0..65 {
            actions.read_window(home, ticket, (0, 0, 4), 0);
        }
    });
    assert_eq!(log[0], "64 not possible");
    assert_eq!(log.len(), 65);
    assert!(log[1..].iter().all(|line| line.ends_with("lost []")));
}

#[test]
fn a_copy_that_a_link_makes_is_no_second_read() {
    let toml = pair(
        (APPLET, "", "duplicate = 1.0"),
        &asks("100us", [0, 2, 3, 5, 0]),
    );
    let trace = run(&toml);
    assert_eq!(ended(&trace), [(2, 0)]);
    assert_eq!(trace.at("reader", "window-read").len(), 1);
    let requests = trace.at("reader", "wire-tx").into_iter();
    let requests = requests.filter(|event| event["kind"] == "read");
    assert_eq!(requests.count(), 2, "the link sends its copy");
}
