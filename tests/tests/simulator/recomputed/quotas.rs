//! A call moves and sends as much as its quota allows, and traps at the first native beyond the quota.

use std::collections::BTreeMap;

use jive_core::TrapKind;
use nic_core::event::{
    DmaDirection, EndReason, Event, EventKind, Names, NativeArg, NicEvent, Sink, SleEvent,
};
use tests::random::Random;
use tests::simulation::run;

use super::applet::{ARRAY_BYTES, Action, Actions};
use crate::runs::runs;

/// The end of a call.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum End {
    Returned,
    Trapped(TrapKind),
}

/// A call, reconstructed from its events.
#[derive(Clone, Debug)]
struct Call {
    endpoint: String,
    method: String,
    done: Vec<Action>,
    end: Option<End>,
}

/// A sink that collects calls, and the bytes moved by DMA in each direction.
#[derive(Default)]
struct Calls {
    ended: Vec<Call>,
    running: BTreeMap<String, Call>,
    /// The bytes moved to the NIC, and to the host, by endpoint.
    moved: BTreeMap<String, (u64, u64)>,
}

impl Sink for Calls {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        // Skip events of the NIC itself, which do not belong to an applet.
        let Some(id) = event.endpoint else { return };
        let endpoint = names.endpoint(id).to_owned();
        match event.kind {
            EventKind::Sle(SleEvent::AppletCall { method, .. }) => {
                let method = names.method(id, method).to_owned();
                let call = Call {
                    endpoint: endpoint.clone(),
                    method,
                    done: Vec::new(),
                    end: None,
                };
                self.running.insert(endpoint, call);
            }
            EventKind::Sle(SleEvent::Native { name, args, .. }) => {
                let bytes = match args.last() {
                    Some(NativeArg::Int(bytes)) => u32::try_from(*bytes).expect("a length"),
                    _ => 0,
                };
                let action = match name {
                    "doHtoLDMA" => Action::ToNic(bytes),
                    "doLtoHDMA" => Action::ToHost(bytes),
                    "txPush" => Action::Push(bytes),
                    _ => return,
                };
                let call = self.running.get_mut(&endpoint).expect("a call runs");
                call.done.push(action);
            }
            EventKind::Sle(SleEvent::AppletReturn { .. }) => self.end(&endpoint, End::Returned),
            EventKind::Sle(SleEvent::Trap { kind, .. }) => self.end(&endpoint, End::Trapped(kind)),
            EventKind::Nic(NicEvent::Dma {
                direction, length, ..
            }) => {
                let (to_nic, to_host) = self.moved.entry(endpoint).or_default();
                match direction {
                    DmaDirection::HostToNic => *to_nic += u64::from(length),
                    DmaDirection::NicToHost => *to_host += u64::from(length),
                }
            }
            _ => {}
        }
    }
}

impl Calls {
    fn end(&mut self, endpoint: &str, end: End) {
        let mut call = self.running.remove(endpoint).expect("a call runs");
        call.end = Some(end);
        self.ended.push(call);
    }
}

/// Returns the actions that a quota allows, and the expected end of the call.
fn allowed(actions: &[Action], dma_bytes: u32, sends: u32) -> (&[Action], End) {
    let (mut bytes, mut packets) = (0, 0);
    for (position, action) in actions.iter().enumerate() {
        match action {
            Action::ToNic(more) | Action::ToHost(more) => bytes += more,
            Action::Push(_) => packets += 1,
            Action::Pop(_) | Action::Describe { .. } | Action::Trap => {}
        }
        if bytes > dma_bytes || packets > sends {
            let end = End::Trapped(TrapKind::QuotaExceeded);
            return (&actions[..position], end);
        }
    }
    (actions, End::Returned)
}

fn actions(random: &mut Random, longest: u64, pushes: bool) -> Vec<Action> {
    let count = random.below(longest);
    let actions = (0..count).map(|_| {
        let bytes = u32::try_from(random.below(u64::from(ARRAY_BYTES) + 1)).expect("small");
        match random.below(3) {
            0 => Action::ToNic(bytes),
            1 => Action::ToHost(bytes),
            _ if pushes => Action::Push(bytes),
            _ => Action::ToHost(bytes),
        }
    });
    actions.collect()
}

/// A scenario of two endpoints that send to each other, each of which may answer the other's packets.
const PAIR: &str = r#"
    until = "20ms"
    max_events = 20000
    [[nic]]
    name = "a"
    [[nic]]
    name = "b"
    [[endpoint]]
    nic = "a"
    name = "first"
    applet = "builtin:Drop"
    [[endpoint]]
    nic = "b"
    name = "second"
    applet = "builtin:Drop"
    [[channel]]
    first = 1
    second = 1
    [[send]]
    endpoint = "first"
    channel = 1
    at = "5us"
    payload = { count = 100 }
    repeat = 4
    every = "400us"
    [[send]]
    endpoint = "second"
    channel = 1
    at = "9us"
    payload = { count = 9 }
    repeat = 4
    every = "300us"
"#;

#[test]
fn calls_keep_within_their_quota() {
    let mut random = Random::new(0x9e37_79b9);
    let (mut exceeded, mut returned) = (0, 0);
    for round in 0..runs(60) {
        let loads = round % 4 == 0;
        let applets = [(); 2].map(|()| Actions {
            initializer: if loads {
                actions(&mut random, 5, true)
            } else {
                Vec::new()
            },
            do_tx: actions(&mut random, 9, true),
            // `doRx` sends nothing, because answers to answers would never end.
            do_rx: actions(&mut random, 9, false),
        });
        let mut scenario = Actions::scenario(PAIR, &applets);
        let quota = scenario.profile.quota.as_mut().expect("it has applets");
        quota.dma_bytes = u32::try_from(random.below(9_000)).expect("small");
        quota.sends = u32::try_from(random.below(4)).expect("small");
        let (dma_bytes, sends) = (quota.dma_bytes, quota.sends);
        let mut calls = Calls::default();
        let end = run(&scenario, &mut calls);
        let what = format!("round {round}, quota {dma_bytes} {sends}, {applets:?}");
        let mut moved: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for call in &calls.ended {
            let applet = &applets[usize::from(call.endpoint == "second")];
            let (done, end) = allowed(applet.of(&call.method), dma_bytes, sends);
            assert_eq!(call.done, done, "{call:?}, {what}");
            assert_eq!(call.end, Some(end), "{call:?}, {what}");
            match end {
                End::Returned => returned += 1,
                End::Trapped(_) => exceeded += 1,
            }
            let (to_nic, to_host) = moved.entry(call.endpoint.clone()).or_default();
            for action in done {
                match action {
                    Action::ToNic(bytes) => *to_nic += u64::from(*bytes),
                    Action::ToHost(bytes) => *to_host += u64::from(*bytes),
                    _ => {}
                }
            }
        }
        if end.reason == EndReason::Idle {
            // Every byte that a call requests is moved once, and no other byte is moved.
            moved.retain(|_, moved| *moved != (0, 0));
            calls.moved.retain(|_, moved| *moved != (0, 0));
            assert_eq!(calls.moved, moved, "{what}");
        }
    }
    assert!(exceeded > 100, "only {exceeded} calls exceed their quota");
    assert!(returned > 100, "only {returned} calls return");
}
