//! A hostile neighbour of each kind of harm, on the same NIC and link as a victim, among 64 endpoints.

use std::fmt::Write as _;

use nic_runtime::profile::Quota;
use serde_json::Value;

use crate::scenario::read;
use crate::trace::simulate;

/// A kind of harm: the length of the message that selects it, and the trap in which the call ends.
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

/// Number of instructions in a call in which the applet `Hostile` uses up its fuel. The instructions are 100 rounds of
/// 9, 9 around these rounds, 4 to select the harm, and 3 of `doTx`.
const WHOLE_BUDGET: u64 = 916;

/// Returns tables: NIC `b` has the victim, the hostile endpoint and 62 others; NIC `a` has their peers.
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

/// Number of rounds of 10 ms: the victim's message is sent after 4 ms, hostile messages after 0 and 6 ms.
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
fn fixed_schedule_hides_every_neighbour() {
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

/// Number of the victim's messages, which are all due at the same time.
const LOAD: u32 = 200;

/// Returns the time at which the victim's last message completed, and the number of the hostile endpoint's events until
/// then.
fn saturated(kind: Option<(u32, u32)>) -> (u64, usize) {
    // With a fuel of 250 and a quota of 2,000 bytes and 2 sends, no call of the neighbour takes longer than the
    // victim's. The victim's 2,000 bytes take 40 us by DMA.
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
fn fair_scheduler_holds_a_neighbour_to_its_share() {
    let (alone, _) = saturated(None);
    let endless = kind("packets to itself without end", 14, None);
    for kind in KINDS.iter().chain([&endless]) {
        if kind.length == SELF_SENDER {
            continue;
        }
        // A single packet that circulates for ever keeps the hostile endpoint busy at every turn.
        let repeat = if kind.length == 14 { 1 } else { 4 * LOAD };
        let (beside, events) = saturated(Some((kind.length, repeat)));
        assert!(events > LOAD as usize, "{}: {events} events", kind.name);
        // The turns of victim and neighbour alternate, and no turn of the neighbour is longer than a turn of the
        // victim.
        assert!(
            beside <= 2 * alone,
            "{}: {beside} ns beside it, {alone} ns alone",
            kind.name
        );
    }
}

/// The kind of harm in which each descriptor leads to packets that the endpoint sends to itself.
const SELF_SENDER: u32 = 10;

#[test]
fn sender_to_itself_gets_turns_of_both_sorts() {
    // The loop of a processor handles an arrival, then a descriptor, then an arrival (docs/simulation.md). Descriptors
    // are taken round robin, so one descriptor of the hostile endpoint comes between two of the victim's. The processor
    // takes an arrival before each descriptor. In a round of the loop the victim therefore has one turn, and its
    // neighbour has three: a descriptor and two arrivals.
    //
    // All times are in ns, with the costs of `lanai-1998-split`. The victim's descriptor takes base 10000 + set-up 700
    // + call 3900 + DMA set-up 11800 + 40000 for 2000 bytes + transmit 8100. The costs of the victim's call include all
    // of its 12 instructions.
    const VICTIM: u64 = 74_500;
    // The neighbour's descriptor takes base 10000 + set-up 700 + call 3900 + transmit 8100. Of the 20 instructions of
    // the neighbour's call, the costs include 5 for `txPush` and 2 for the return; 13 of 126 ns remain.
    const POSTED: u64 = 22_700 + 13 * 126;
    // The neighbour's arrivals take base 19600 + set-up 600 + call 3200 + transmit 8100, and the same 13 instructions.
    const ARRIVED: u64 = 31_500 + 13 * 126;
    let share = u64::from(LOAD) * (VICTIM + POSTED + 2 * ARRIVED);
    let (beside, events) = saturated(Some((SELF_SENDER, 4 * LOAD)));
    assert!(events > LOAD as usize, "{events} events");
    // After the victim's last turn, its last message still needs the wire for 2,000 bytes. One arrival in twenty at the
    // hostile endpoint leads to no further packet.
    assert!(beside <= share + 12_500, "{beside} ns of {share}");
    assert!(beside * 100 >= share * 98, "{beside} ns of {share}");
}
