//! Applets that are replaced while the NIC runs (docs/simulation.md, "Replacing an applet").
//!
//! `SwapOld` and `SwapNew` are two versions of an applet. The calls of these two applets return the version, and
//! `SwapNew` traces the values of the fields that both classes have.

use nic_runtime::Run;
use std::collections::BTreeMap;

use nic_core::event::roles::Step;
use nic_core::event::{EndReason, Event, Names, Sink};
use nic_core::id::PacketId;
use nic_core::time::SimDuration;
use nic_runtime::run::{self, AppletClass};
use serde_json::{Value, json};

use crate::random_runs;
use crate::runs::runs;
use crate::scenario::read;
use crate::suspended::relayed;
use crate::trace::{Pair, Trace, number, numbers, run, send, simulate, texts};

const OLD: &str = "applet = 'SwapOld.class'\nhost = 'sink'";

/// A swap of the applet at the endpoint `server`.
fn swap(at: &str, class: &str) -> String {
    swap_of("server", at, class)
}

fn swap_of(endpoint: &str, at: &str, class: &str) -> String {
    format!("[[swap]]\nendpoint = '{endpoint}'\nat = '{at}'\napplet = '{class}'\n")
}

/// Sends of messages to the server at 0.1 ms, 1.1 ms, 2.1 ms and so on.
fn messages(count: u32) -> String {
    let repeated = format!("repeat = {count}\nevery = '1ms'\n");
    send("100us", "{ text = 'hello' }") + &repeated
}

fn to_server(server: &str, rest: &str) -> Trace {
    let trace = Pair::PLAIN.server(server).rest(rest).run();
    assert_switches_lie_between_calls(&trace);
    trace
}

/// Returns an endpoint's calls for messages and timers, without the calls of initializers.
fn calls<'t>(trace: &'t Trace, endpoint: &str, event: &str) -> Vec<&'t Value> {
    let calls = trace.at(endpoint, event).into_iter();
    let is_entry = |call: &&Value| {
        !call["method"]
            .as_str()
            .is_some_and(|name| name.starts_with('<'))
    };
    calls.filter(is_entry).collect()
}

/// Returns the values that the server's calls of `doRx` returned, which are versions of the applet.
fn versions(trace: &Trace) -> Vec<u64> {
    let returns = calls(trace, "server", "applet-return");
    numbers(&returns, "value")
}

fn assert_switches_lie_between_calls(trace: &Trace) {
    let mut open = BTreeMap::new();
    for event in &trace.events {
        let endpoint = event["endpoint"].as_str().unwrap_or_default();
        let is_entry = !event["method"]
            .as_str()
            .is_some_and(|name| name.starts_with('<'));
        let open = open.entry(endpoint).or_insert(false);
        match event["event"].as_str() {
            Some("applet-call") if is_entry => {
                assert!(!*open, "{event} in a call");
                *open = true;
            }
            Some("applet-return" | "trap") if is_entry => *open = false,
            Some("applet-call" | "applet-swap") => assert!(!*open, "{event} in a call"),
            _ => {}
        }
    }
}

#[test]
fn fields_of_equal_name_and_type_are_carried_over() {
    let trace = to_server(OLD, &(messages(2) + &swap("600us", "SwapNew.class")));
    assert_eq!(versions(&trace), [1, 2]);
    let notes: Vec<_> = trace
        .at("server", "applet-trace")
        .into_iter()
        .map(|note| (note["tag"].as_i64(), note["value"].as_i64()))
        .collect();
    let found = [4, 1, 1, 1, 5, 1, -3, 108];
    let expected = (1..)
        .zip(found)
        .map(|(tag, value)| (Some(tag), Some(value)));
    assert_eq!(notes, expected.collect::<Vec<_>>());
    let swaps = trace.at("server", "applet-swap");
    let [swap] = &swaps[..] else {
        panic!("expected one swap, found {swaps:?}");
    };
    assert_eq!(swap["t_ns"], 600_000);
    assert_eq!(swap["class"], "SwapNew");
    // The fields with carried values are `txBuf`, `counts`, `alias`, `none`, `view`, `seen`, `flag` and `small`. Two
    // fields carry no value: `changed` has another type, and `VERSION` is a constant.
    assert_eq!(swap["carried"], 8);
    // The heap holds `txBuf` of 512 bytes, `counts` of 16 and `added` of 3, rounded up to 8, each with a header of 8.
    // The arrays that the new static initializer made for `txBuf`, `counts`, `alias` and `none` are gone.
    assert_eq!(swap["heap_bytes"], 520 + 24 + 16);
}

#[test]
fn an_expectation_is_about_the_class_at_the_end() {
    let expect = |field: &str, value: &str| {
        format!("[[expect]]\nendpoint = 'server'\nfield = '{field}'\nvalue = {value}\n")
    };
    let rest = messages(3)
        + &swap("600us", "SwapNew.class")
        + &expect("counts", "[0, 1, 0, 2]")
        + &expect("alias", "[0, 1, 0, 2]")
        + &expect("seen", "3")
        + &expect("added", "[7, 8, 9]");
    let toml = Pair::PLAIN.server(OLD).rest(&rest).toml();
    let (_, judgement) = Run::new(&read(&toml))
        .judge()
        .execute()
        .expect("it runs")
        .judged();
    let judgement = judgement.expect("there are expectations");
    assert_eq!((judgement.met, judgement.unmet), (4, vec![]));
    // The swap to `LongMaths` is refused, so the expectations are about the fields of `SwapOld`.
    let toml = toml
        .replace("SwapNew.class", "LongMaths.class")
        .replace("field = 'seen'", "field = 'small'");
    let toml = toml
        .replace("value = 3", "value = -3")
        .replace("'added'", "'txBuf'");
    let (_, judgement) = Run::new(&read(&toml))
        .judge()
        .execute()
        .expect("it runs")
        .judged();
    let unmet = judgement.expect("there are expectations").unmet;
    let titles: Vec<_> = unmet.iter().map(|unmet| unmet.title.as_str()).collect();
    assert_eq!(titles.len(), 3, "{titles:?}");
    assert_eq!(
        titles[0],
        "expected 1 in element 1 of field `counts` of `server`, found 3"
    );
}

/// Returns the reason and the class of the only refusal, after checking that the old applet has handled all messages.
fn refusal(server: &str, class: &str) -> (Value, Value) {
    let trace = to_server(
        &format!("{OLD}\n{server}"),
        &(messages(3) + &swap("600us", class)),
    );
    assert_eq!(versions(&trace), [1, 1, 1]);
    assert_eq!(trace.at("server", "rx-descriptor").len(), 3);
    assert_eq!(trace.at("server", "applet-swap"), [&Value::Null; 0]);
    let refused = trace.at("server", "swap-refused");
    let [refused] = &refused[..] else {
        panic!("expected one refusal, found {refused:?}");
    };
    assert_eq!(refused["t_ns"], 600_000);
    (refused["reason"].clone(), refused["class"].clone())
}

#[test]
fn a_refused_class_leaves_the_old_one_and_the_trace_says_why() {
    // The refused files are a class without the members of an applet, and a file that is no class file.
    assert_eq!(
        refusal("", "LongMaths.class"),
        (json!("subset/long"), json!("LongMaths"))
    );
    assert_eq!(
        refusal("", "build.sh"),
        (json!("malformed/magic"), Value::Null)
    );
    // The refused class has a constructor that sends.
    assert_eq!(
        refusal("", "SwapSends.class"),
        (json!("ProtectionFault"), json!("SwapSends"))
    );
    // The array `own` of the new class alone fits in the heap, and so do the arrays of `SwapOld`: 908 and 544 bytes.
    assert_eq!(
        refusal("heap = 1000", "SwapHungry.class"),
        (json!("heap"), json!("SwapHungry"))
    );
}

#[test]
fn both_classes_need_memory_while_the_new_one_is_verified() {
    let sram = |bytes: u64| {
        format!(
            "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\nsram = {bytes}\n\
             [[endpoint]]\nnic = 'a'\nname = 'client'\n\
             [[endpoint]]\nnic = 'b'\nname = 'server'\napplet = 'SwapOld.class'\n\
             [[channel]]\nclient = 1\nserver = 7\n"
        ) + &swap("1us", "SwapNew.class")
            + &swap("2us", "SwapOld.class")
            + &swap("3us", "SwapOld.class")
    };
    let holders = run::sram_holders(&read(&sram(1 << 30))).expect("the classes are right");
    let on_b = holders.iter().filter(|holder| holder.nic.0 == 1);
    let least = on_b.map(|holder| holder.bytes).sum::<u64>();
    let reasons = |bytes| {
        let trace = run(&sram(bytes));
        let swaps = trace.at("server", "applet-swap").len();
        let refused = trace.at("server", "swap-refused");
        (
            swaps,
            refused
                .iter()
                .map(|event| event["reason"].clone())
                .collect::<Vec<_>>(),
        )
    };
    // No byte of SRAM is free, so no class can be installed, not even the same class: it needs a second heap.
    assert_eq!(reasons(least), (0, vec![json!("sram"); 3]));
    // The free bytes are the default heap of 24 KiB, `RxBuf` of 9,216 bytes and the headers of both. Another applet of
    // the same class fits in these bytes, but not the program of another class. Therefore only the first swap, which is
    // to another class, is refused.
    let applet = 24_576 + 9_216 + 16;
    let fields = 11 * 4;
    assert_eq!(
        reasons(least + applet + fields - 1),
        (0, vec![json!("sram"); 3])
    );
    assert_eq!(reasons(least + applet + fields), (2, vec![json!("sram")]));
    // Each swap frees the applet that it replaces, so room for one more class is enough for any number of swaps.
    assert_eq!(reasons(least + applet + 10_000), (3, vec![]));
}

#[test]
fn effects_of_a_refused_class_are_undone() {
    // The static initializer of `SwapSends` pops a buffer and sets a timer before the constructor traps. Neither
    // remains.
    let toml = Pair::PLAIN
        .server(OLD)
        .rest(&swap("600us", "SwapSends.class"))
        .toml();
    let (end, states) = Run::new(&read(&toml))
        .keep_states()
        .execute()
        .expect("it runs")
        .end_and_states();
    crate::trace::check_moves(&end);
    assert_eq!(end.reason, EndReason::Idle);
    let order = [0, 1, 2, 3, 4, 5, 6, 7].map(|buffer| buffer * 4096);
    assert_eq!(states[1].free, order);
    let applet = states[1].applet.as_ref().expect("it stays");
    assert_eq!(applet.class, AppletClass::OfScenario(0));
}

#[test]
fn a_swap_never_splits_a_call() {
    // Three messages arrive from about 120 us on, and the applet handles each for some 20 us.
    for step in 0..runs(120) {
        let at = format!("{}ns", 100_000 + 1_130 * step);
        let sends = send("100us", "{ text = 'hello' }") + "repeat = 3\nevery = '30us'\n";
        let trace = to_server(OLD, &(sends + &swap(&at, "SwapNew.class")));
        let versions = versions(&trace);
        assert!(
            versions.len() == 3 && versions.is_sorted(),
            "{at}: {versions:?}"
        );
        let delivered = numbers(&trace.at("server", "rx-descriptor"), "packet");
        let arrived = numbers(&trace.at("server", "wire-rx"), "packet");
        assert_eq!(delivered, arrived, "{at}");
        assert_eq!(trace.at("server", "applet-swap").len(), 1, "{at}");
    }
}

#[test]
fn a_suspended_call_ends_in_the_class_in_which_it_began() {
    let relay = |swaps: &str| run(&(relayed() + swaps));
    let plain = relay("");
    let suspended = numbers(&plain.at("relay", "applet-suspend"), "t_ns");
    let resumed = numbers(&plain.at("relay", "applet-resume"), "t_ns");
    for place in [0, suspended.len() / 2, suspended.len() - 1] {
        let middle = u64::midpoint(suspended[place], resumed[place]);
        let trace = relay(&swap_of("relay", &format!("{middle}ns"), "Relay.class"));
        assert_switches_lie_between_calls(&trace);
        let swapped = numbers(&trace.at("relay", "applet-swap"), "t_ns");
        assert!(swapped[0] >= resumed[place], "{swapped:?}, {middle}");
        let arrived = texts(&trace.at("relay", "wire-rx"), "payload");
        assert_eq!(texts(&trace.at("end", "wire-rx"), "payload"), arrived);
        assert_eq!(arrived.len(), 30);
    }
}

#[test]
fn verifying_on_the_host_delays_a_swap_by_each_byte() {
    let toml = |at: &str| {
        let rest = messages(5) + &swap(at, "SwapNew.class");
        Pair::PLAIN.server(OLD).rest(&rest).toml()
    };
    let swapped_at = |at: &str, each: u64| {
        let mut scenario = read(&toml(at));
        scenario.profile.host.verify = SimDuration::from_ns(each);
        let trace = simulate(&scenario).expect("it can run");
        trace.check_laws();
        let swaps = trace.at("server", "applet-swap").into_iter();
        (
            numbers(&swaps.collect::<Vec<_>>(), "t_ns"),
            versions(&trace),
        )
    };
    // As long as `SwapNew.class` is.
    let length = read(&toml("0us")).classes[1].bytes.len() as u64;
    assert!(length > 1_000);
    let verified = 1_000_000 / length;
    assert_eq!(swapped_at("500us", 0), (vec![500_000], vec![1, 2, 2, 2, 2]));
    // The second message comes at 1.1 ms, before the class is verified.
    for each in [verified, 2 * verified] {
        let at = 500_000 + each * length;
        let first = if at < 2_000_000 { 3 } else { 2 };
        let versions = [vec![1; 5 - first], vec![2; first]].concat();
        assert_eq!(swapped_at("500us", each), (vec![at], versions), "{each}");
    }
    // A class that is verified when the run is over has not come.
    assert_eq!(swapped_at("500us", 10_000_000), (vec![], vec![1; 5]));
}

#[test]
fn swaps_at_one_time_are_made_in_the_order_of_the_file() {
    let swaps = swap("600us", "SwapNew.class") + &swap("600us", "SwapOld.class");
    let trace = to_server(OLD, &(messages(2) + &swaps));
    assert_eq!(
        texts(&trace.at("server", "applet-swap"), "class"),
        ["SwapNew", "SwapOld"]
    );
    assert_eq!(versions(&trace), [1, 1]);
    // While a call is under way, both swaps of the endpoint wait for the end of the call.
    let time = |event: &str| number(calls(&trace, "server", event)[0], "t_ns");
    let (began, ended) = (time("applet-call"), time("applet-return"));
    let during = format!("{}ns", u64::midpoint(began, ended));
    let trace = to_server(OLD, &(messages(2) + &swaps.replace("600us", &during)));
    let swapped = numbers(&trace.at("server", "applet-swap"), "t_ns");
    assert_eq!(swapped, [ended, ended]);
    // The swaps of two endpoints do not wait for each other.
    let both = swap_of("client", "600us", "SwapNew.class") + &swap("600us", "SwapNew.class");
    let trace = Pair::PLAIN
        .client("applet = 'SwapOld.class'")
        .server(OLD)
        .rest(&(messages(2) + &both))
        .run();
    assert_eq!(versions(&trace), [1, 2]);
    assert_eq!(
        numbers(&calls(&trace, "client", "applet-return"), "value"),
        [1, 2]
    );
}

#[test]
fn a_swap_to_the_same_class_keeps_every_field() {
    let same = to_server(OLD, &(messages(2) + &swap("600us", "SwapOld.class")));
    let [swap] = same.at("server", "applet-swap")[..] else {
        panic!("expected one swap");
    };
    // All fields but `VERSION` and `RxBuf` carry their values.
    assert_eq!(swap["carried"], 9);
    let without = to_server(OLD, &messages(2));
    let of = |trace: &Trace| {
        let events = trace.at("server", "rx-descriptor");
        (
            texts(&events, "payload").join(" "),
            numbers(&events, "t_ns"),
        )
    };
    assert_eq!(of(&same), of(&without));
}

#[test]
fn an_endpoint_may_get_its_first_applet_during_the_run() {
    let trace = to_server("", &(messages(3) + &swap("600us", "SwapOld.class")));
    assert_eq!(trace.at("server", "rx-descriptor").len(), 3);
    assert_eq!(versions(&trace), [1, 1]);
    assert_eq!(trace.at("server", "applet-swap")[0]["carried"], 0);
    let refused = to_server("", &(messages(3) + &swap("600us", "SwapSends.class")));
    assert_eq!(refused.at("server", "rx-descriptor").len(), 3);
    assert_eq!(refused.at("server", "swap-refused").len(), 1);
    assert!(calls(&refused, "server", "applet-call").is_empty());
}

#[test]
fn armed_timer_survives_a_swap_to_a_class_with_the_entry() {
    // The applet `Ticker` sets a timer of 20 us when it is loaded, and again 9.3 us after each expiry. The second call
    // of `doTimer` is at 49.9 us (see `timers`), and the third is due at 78.6 us.
    let ticker = |class: &str| to_server("applet = 'Ticker.class'", &swap("70us", class));
    let ticks = |trace: &Trace| {
        let calls = calls(trace, "server", "applet-call");
        let ticks = calls.iter().filter(|call| call["method"] == "doTimer");
        ticks.map(|call| number(call, "t_ns")).collect::<Vec<_>>()
    };
    let trace = ticker("SwapNew.class");
    assert_eq!(ticks(&trace), [20_600, 49_900, 79_200]);
    assert_eq!(
        trace.at("server", "applet-trace").last().expect("a note")["tag"],
        9
    );
    assert_eq!(trace.end.reason, EndReason::Idle, "the timer was set once");
    // If the new class has no `doTimer`, the swap removes the timer.
    let trace = ticker("SwapOld.class");
    assert_eq!(ticks(&trace), [20_600, 49_900]);
    assert_eq!(trace.end.reason, EndReason::Idle);
    // The static initializer of the same class sets the timer again, to 20 us after the swap.
    let trace = Pair::PLAIN
        .scenario("until = '100us'")
        .server("applet = 'Ticker.class'")
        .rest(&swap("70us", "Ticker.class"))
        .run();
    assert_eq!(ticks(&trace), [20_600, 49_900, 90_600]);
}

#[test]
fn expired_timer_calls_the_new_class_or_nothing() {
    // The timer expires at 78.6 us, and the set-up of the call of `doTimer` takes 0.6 us.
    for (class, expected) in [("SwapNew.class", 3), ("SwapOld.class", 2)] {
        let trace = to_server("applet = 'Ticker.class'", &swap("78900ns", class));
        let calls = calls(&trace, "server", "applet-call");
        assert_eq!(calls.len(), expected, "{class}");
        assert_eq!(trace.at("server", "applet-swap")[0]["t_ns"], 78_900);
        assert_eq!(trace.end.reason, EndReason::Idle);
    }
}

#[test]
fn a_detached_applet_is_replaced_by_an_attached_one() {
    let detached =
        "applet = 'Hostile.class'\non_trap = 'detach'\ndetach_after = 1\nback_off = '100ms'";
    // The applet `Hostile` traps on messages of 3 bytes.
    let messages = messages(3).replace("hello", "hey");
    let trace = to_server(detached, &(messages + &swap("1600us", "SwapNew.class")));
    // The call for the first message traps, the second message takes the base path, and the new applet handles the
    // third.
    assert_eq!(versions(&trace), [2]);
    let names = trace.names_from("server", "applet-detach");
    let of_applet: Vec<_> = names
        .into_iter()
        .filter(|name| name.starts_with("applet-") || *name == "rx-descriptor")
        .filter(|name| *name != "applet-trace")
        .collect();
    assert_eq!(
        of_applet,
        [
            "applet-detach",
            "rx-descriptor",
            "applet-call",
            "applet-return",
            "applet-call",
            "applet-return",
            "applet-swap",
            "applet-attach",
            "applet-call",
            "applet-return",
            "rx-descriptor"
        ]
    );
}

#[test]
fn new_applet_does_not_inherit_traps() {
    let keys = "applet = 'Hostile.class'\non_trap = 'detach'\ndetach_after = 3\nback_off = '10us'";
    // Each message of 3 bytes is a trap, one each ms from 0.1 ms on.
    let traps = messages(9).replace("hello", "hey");
    let detached = |swaps: &str| {
        let trace = to_server(keys, &(traps.clone() + swaps));
        assert_eq!(trace.at("server", "trap").len(), 9);
        let detached = trace.at("server", "applet-detach");
        let at = numbers(&detached, "t_ns").into_iter();
        let at: Vec<u64> = at.map(|at| at / 1_000_000).collect();
        (at, numbers(&detached, "dur_ns"))
    };
    // The third trap in a row detaches the applet, and each trap on probation again, for twice as long.
    let (at, lasted) = detached("");
    assert_eq!(at[..3], [2, 3, 4]);
    assert_eq!(lasted[..3], [10_000, 20_000, 40_000]);
    // The new applet has three traps of its own before it is detached, whether the old one had two or was detached.
    for (swapped, at_ms) in [("1500us", 4), ("2150us", 5), ("4900us", 7)] {
        let (at, lasted) = detached(&swap(swapped, "Hostile.class"));
        let first = at.iter().position(|at| *at == at_ms);
        let first = first.unwrap_or_else(|| panic!("{swapped}: {at:?}"));
        assert_eq!(lasted[first..][..2], [10_000, 20_000], "{swapped}: {at:?}");
        let early = at[..first]
            .iter()
            .all(|at| 1_000 * *at < swapped.trim_end_matches("us").parse().expect("a number"));
        assert!(early, "{swapped}: {at:?}");
    }
}

#[test]
fn waiting_calls_go_to_the_new_class() {
    // One processor runs `doTx`, the other processor runs `doRx`, and both are always busy, so one of them always
    // waits.
    let nic = "processors = 2\nplacement = { doTx = 0, doRx = 1 }";
    let busy = |swaps: &str| {
        run(&format!(
            "profile = 'lanai-1998-parallel'\n[[nic]]\nname = 'a'\n{nic}\n[[nic]]\nname = 'b'\n{nic}\n\
             [[endpoint]]\nnic = 'a'\nname = 'client'\napplet = 'SwapOld.class'\n\
             [[endpoint]]\nnic = 'b'\nname = 'server'\napplet = 'SwapOld.class'\n\
             [[channel]]\nclient = 1\nserver = 7\n\
             [[send]]\nendpoint = 'client'\nchannel = 1\nat = '10us'\nrepeat = 100\nevery = '1us'\n\
             payload = {{ zeros = 40 }}\n\
             [[send]]\nendpoint = 'server'\nchannel = 7\nat = '10us'\nrepeat = 100\nevery = '1us'\n\
             payload = {{ zeros = 40 }}\n{swaps}"
        ))
    };
    for step in 0..runs(40) {
        let at = format!("{}ns", 200_000 + 2_710 * step);
        let trace = busy(&swap(&at, "SwapNew.class"));
        assert_switches_lie_between_calls(&trace);
        for endpoint in ["client", "server"] {
            assert_eq!(trace.at(endpoint, "rx-descriptor").len(), 100, "{at}");
            assert_eq!(trace.at(endpoint, "tx-done").len(), 100, "{at}");
        }
        let versions = versions(&trace);
        assert!(
            versions.len() == 200 && versions.is_sorted(),
            "{at}: {versions:?}"
        );
        assert!(versions.contains(&1) && versions.contains(&2), "{at}");
    }
}

/// A sink for the number of times that each packet was delivered, and the values that calls returned, in order and
/// without repetitions.
#[derive(Default)]
struct Delivered {
    packets: BTreeMap<PacketId, u32>,
    versions: Vec<i32>,
    swaps: u32,
}

impl Sink for Delivered {
    fn event(&mut self, _: &dyn Names, event: &Event<'_>) {
        let roles = event.kind.roles();
        self.swaps += u32::from(roles.name == "applet-swap");
        match roles.step {
            Step::Delivered {
                packet: Some(packet),
                ..
            } => *self.packets.entry(packet).or_default() += 1,
            Step::CallReturned {
                value: Some(value), ..
            } if event.endpoint.is_some_and(|endpoint| endpoint.0 == 1)
                && self.versions.last() != Some(&value) =>
            {
                self.versions.push(value);
            }
            _ => {}
        }
    }
}

#[test]
fn swap_amid_100_000_packets_loses_and_repeats_none() {
    const PACKETS: u32 = 100_000;
    let rest = format!(
        "[[send]]\nendpoint = 'client'\nchannel = 1\nrepeat = {PACKETS}\npayload = {{ zeros = 40 }}\n{}{}",
        swap_of("client", "1500ms", "SwapNew.class"),
        swap("1500ms", "SwapNew.class"),
    );
    let applet = "applet = 'SwapOld.class'";
    let pair = Pair::PLAIN.client(applet).server(applet).rest(&rest);
    let toml = pair
        .scenario("until = '100s'\nmax_events = 100000000")
        .toml();
    let mut delivered = Delivered::default();
    let end = Run::new(&read(&toml))
        .sink(&mut delivered)
        .execute()
        .expect("it runs")
        .end;
    crate::trace::check_moves(&end);
    assert_eq!(end.reason, EndReason::Idle);
    assert_eq!(delivered.packets.len(), PACKETS as usize, "none is lost");
    assert!(
        delivered.packets.values().all(|count| *count == 1),
        "none comes twice"
    );
    assert_eq!((delivered.swaps, delivered.versions), (2, vec![1, 2]));
}

#[test]
fn listener_does_not_change_random_swaps() {
    let mut swapped = 0;
    for seed in 0..runs(30) {
        let mut toml = match seed % 4 {
            3 => random_runs::spaced(seed),
            _ => random_runs::scenario(seed),
        };
        let endpoints = read(&toml).endpoints;
        for (index, spec) in endpoints.iter().enumerate() {
            let class = [
                "SwapNew.class",
                "SwapOld.class",
                "Ticker.class",
                "SwapSends.class",
            ][(index + seed as usize) % 4];
            let at = format!("{}us", 50 + 137 * index as u64);
            toml += &swap_of(&spec.name, &at, class);
        }
        let scenario = read(&toml);
        let mut heard = Delivered::default();
        let with = Run::new(&scenario)
            .sink(&mut heard)
            .keep_states()
            .execute()
            .expect("it runs")
            .end_and_states();
        let without = Run::new(&scenario)
            .keep_states()
            .execute()
            .expect("it runs")
            .end_and_states();
        assert!(with == without, "seed {seed}");
        swapped += heard.swaps;
    }
    assert!(swapped > 20, "only {swapped} swaps were made");
}
