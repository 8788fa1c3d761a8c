//! One hostile neighbour of each kind, on the NIC and link of a victim, among 64 endpoints.

use std::fmt::Write as _;

use nic_runtime::profile::Quota;
use serde_json::Value;

use crate::scenario::read;
use crate::trace::simulate;

/// A kind of harm: the length of the message that brings it about, and the trap it ends in.
struct Kind {
    name: &'static str,
    length: u32,
    trap: Option<&'static str>,
}

const KINDS: [Kind; 13] = [
    kind("endless loop", 1, Some("FuelExhausted")),
    kind("every bytecode of its budget", 2, None),
    kind("trap storm", 3, Some("ArithmeticException")),
    kind("send storm", 4, Some("QuotaExceeded")),
    kind("DMA storm", 5, Some("QuotaExceeded")),
    kind("heap exhaustion", 6, Some("OutOfMemoryError")),
    kind("recursion", 7, Some("StackOverflowError")),
    kind("oversized requests", 8, Some("ProtectionFault")),
    kind("queue hog", 9, None),
    kind("packets to itself", 10, None),
    kind("free-buffer hoarding", 11, None),
    kind("requests at boundary values", 12, Some("ProtectionFault")),
    kind("descriptors of others' memory", 13, Some("ProtectionFault")),
];

const fn kind(name: &'static str, length: u32, trap: Option<&'static str>) -> Kind {
    Kind { name, length, trap }
}

/// Instructions of a call in which `Hostile` spends its whole budget. 100 rounds of 9, 9 around them, 4 to choose the
/// harm and 3 of `doTx`.
const WHOLE_BUDGET: u64 = 916;

/// NIC `b` has a victim, a hostile endpoint and 62 that are neither; NIC `a` has their peers.
fn endpoints(hostile: &str) -> String {
    let mut toml = String::from(
        "profile = 'lanai-1998-split'\n\
         [[nic]]\nname = 'a'\nsram = '8MiB'\n[[nic]]\nname = 'b'\nsram = '8MiB'\n\
         [[endpoint]]\nnic = 'a'\nname = 'source'\n\
         [[endpoint]]\nnic = 'a'\nname = 'hole'\n\
         [[endpoint]]\nnic = 'b'\nname = 'victim'\napplet = 'builtin:RawUnet'\nhost = 'echo'\n\
         [[channel]]\nsource = 1\nvictim = 1\n",
    );
    let _infallible = write!(
        toml,
        "[[endpoint]]\nnic = 'b'\nname = 'hostile'\napplet = 'Hostile.class'\n{hostile}\n\
         [[channel]]\nhole = 1\nhostile = 1\n[[channel]]\nhostile = [2, 3]\n"
    );
    for bystander in 0..62 {
        let applet = match bystander % 2 {
            0 => "applet = 'builtin:RawUnet'\n",
            _ => "",
        };
        let _infallible = write!(
            toml,
            "[[endpoint]]\nnic = 'b'\nname = 'bystander{bystander}'\n{applet}"
        );
    }
    toml
}

fn send(endpoint: &str, at: &str, length: u32, repeat: u32, every: &str) -> String {
    format!(
        "[[send]]\nendpoint = '{endpoint}'\nchannel = 1\nat = '{at}'\n\
         payload = {{ count = {length} }}\nrepeat = {repeat}\nevery = '{every}'\n"
    )
}

fn run(toml: &str, quota: Option<Quota>) -> Vec<Value> {
    let mut scenario = read(toml);
    scenario.profile.quota = quota.or(scenario.profile.quota);
    let trace = simulate(&scenario).unwrap_or_else(|error| panic!("{error}"));
    trace.events
}

fn of<'t>(trace: &'t [Value], endpoint: &str) -> Vec<&'t Value> {
    trace
        .iter()
        .filter(|event| event["endpoint"] == endpoint)
        .collect()
}

/// The victim's messages come at 4 ms of every 10; what is hostile happens at 0 and at 6.
const ROUNDS: u32 = 20;

fn fixed_schedule(kind: Option<&Kind>) -> String {
    let fuel = match kind {
        Some(kind) if kind.length == 2 => WHOLE_BUDGET,
        _ => 10_000,
    };
    let mut toml = endpoints(&format!("fuel = {fuel}"));
    if let Some(kind) = kind {
        toml += &send("hostile", "10ms", kind.length, ROUNDS, "10ms");
    }
    toml += &send("source", "14ms", 1000, ROUNDS, "10ms");
    if let Some(kind) = kind {
        toml += &send("hostile", "16ms", kind.length, ROUNDS, "10ms");
    }
    toml
}

#[test]
fn at_a_fixed_schedule_no_neighbour_changes_a_byte_of_the_victims_trace() {
    let alone = run(&fixed_schedule(None), None);
    let expected = of(&alone, "victim");
    let received = expected
        .iter()
        .filter(|event| event["event"] == "rx-descriptor");
    assert_eq!(received.count(), ROUNDS as usize);
    for kind in &KINDS {
        let beside = run(&fixed_schedule(Some(kind)), None);
        assert_eq!(of(&beside, "victim"), expected, "{}", kind.name);
        let hostile = of(&beside, "hostile");
        let calls = hostile.iter().filter(|event| event["method"] == "doTx");
        assert!(calls.count() >= 2 * ROUNDS as usize, "{}", kind.name);
        let traps: Vec<&&Value> = hostile
            .iter()
            .filter(|event| event["event"] == "trap")
            .collect();
        match kind.trap {
            Some(trap) => {
                assert!(!traps.is_empty(), "{}", kind.name);
                assert!(
                    traps.iter().all(|event| event["kind"] == trap),
                    "{}",
                    kind.name
                );
            }
            None => assert_eq!(traps.len(), 0, "{}", kind.name),
        }
    }
}

#[test]
fn the_whole_budget_is_spent_to_the_last_bytecode() {
    let kind = &KINDS[1];
    let trace = run(&fixed_schedule(Some(kind)), None);
    let returned = of(&trace, "hostile")
        .into_iter()
        .filter(|event| event["event"] == "applet-return" && event["method"] == "doTx");
    let bytecodes: Vec<&Value> = returned.map(|event| &event["bytecodes"]).collect();
    assert_eq!(
        bytecodes,
        vec![&Value::from(WHOLE_BUDGET); 2 * ROUNDS as usize]
    );
}

/// Messages that the victim has to send, all due at once.
const LOAD: u32 = 200;

/// When the victim's last message was done, and the hostile endpoint's events by then.
fn saturated(kind: Option<(u32, u32)>) -> (u64, usize) {
    // Fuel and quotas with which no call of the neighbour's takes longer than one of the victim's: its 2000 bytes
    // take 40 us by DMA.
    let quota = Quota {
        dma_bytes: 2_000,
        sends: 2,
    };
    let mut toml = endpoints("fuel = 250");
    if let Some((length, repeat)) = kind {
        toml += &send("hostile", "1ms", length, repeat, "0us");
    }
    toml += &send("victim", "1ms", 2000, LOAD, "0us");
    let trace = run(&toml, Some(quota));
    let done = of(&trace, "victim")
        .into_iter()
        .filter(|event| event["event"] == "tx-done")
        .map(|event| event["t_ns"].as_u64().unwrap());
    let times: Vec<u64> = done.collect();
    assert_eq!(times.len(), LOAD as usize);
    let last = times[times.len() - 1];
    let hostile = of(&trace, "hostile");
    let by_then = hostile
        .iter()
        .filter(|event| event["t_ns"].as_u64().is_some_and(|time| time <= last));
    (last - 1_000_000, by_then.count())
}

#[test]
fn under_the_fair_scheduler_a_neighbour_takes_its_share_and_no_more() {
    let (alone, _) = saturated(None);
    let endless = kind("packets to itself without end", 14, None);
    for kind in KINDS.iter().chain([&endless]) {
        if kind.length == SELF_SENDER {
            continue;
        }
        // One packet that goes round for ever is a packet at every turn already.
        let repeat = if kind.length == 14 { 1 } else { 4 * LOAD };
        let (beside, events) = saturated(Some((kind.length, repeat)));
        assert!(events > LOAD as usize, "{}: {events} events", kind.name);
        // A turn of the one, then a turn of the other, and none is longer than one of the victim's.
        assert!(
            beside <= 2 * alone,
            "{}: {beside} ns beside it, {alone} ns alone",
            kind.name
        );
    }
}

/// The kind that posts descriptors and has each lead to packets to itself.
const SELF_SENDER: u32 = 10;

#[test]
fn who_posts_packets_to_itself_has_turns_of_both_sorts() {
    // The loop takes an arrival, then a descriptor, then an arrival (docs/simulation.md). Descriptors go round robin, so
    // between two of the victim's there is one of the hostile endpoint's. Arrivals are served as they come, and one is
    // taken before each descriptor. So in one round of the loop the victim has one turn and its neighbour three: a
    // descriptor and two arrivals. In ns, with the rows of `lanai-1998-split`. The victim's descriptor: base 10000 +
    // set-up 700 + call 3900 + DMA set-up 11800 + 2000 bytes at 50 MB/s 40000 + transmit 8100. All of its 12
    // instructions are in the rows.
    const VICTIM: u64 = 74_500;
    //   The neighbour's: base 10000 + 700 + 3900 + transmit 8100. Of 20 instructions the rows hold 5 of `txPush` and 2
    //   of the return, so 13 of 126 ns.
    const POSTED: u64 = 22_700 + 13 * 126;
    //   its arrivals: base 19600 + set-up 600 + call 3200 + transmit 8100, and the same instructions.
    const ARRIVED: u64 = 31_500 + 13 * 126;
    let share = u64::from(LOAD) * (VICTIM + POSTED + 2 * ARRIVED);
    let (beside, events) = saturated(Some((SELF_SENDER, 4 * LOAD)));
    assert!(events > LOAD as usize, "{events} events");
    // The last message has 2000 bytes of wire behind its turn; one arrival in twenty sends nothing on.
    assert!(beside <= share + 12_500, "{beside} ns of {share}");
    assert!(beside * 100 >= share * 98, "{beside} ns of {share}");
}
