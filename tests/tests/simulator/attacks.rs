//! Applets flood their NICs, one kind of flood at a time, while two pairs of victims on the same NICs must receive all
//! messages.
//!
//! `--nocapture` prints the victims' times relative to runs without floods, which `docs/simulation.md` quotes.

use nic_runtime::Run;
use std::fmt::Write as _;

use nic_core::event::{Event, EventKind, Names, NicEvent, Sink, SleEvent, TxStatus, UnetEvent};
use nic_runtime::run::SimError;
use nic_runtime::spec::ClassSpec;
use nic_runtime::spec::Scenario;
use tests::isolation::{Action, Body, HostileApplet};
use tests::simulation::scenario;

/// Messages of each pair of victims.
const MESSAGES: usize = 20;

/// A kind of flood.
#[derive(Copy, Clone, Debug)]
struct Flood {
    name: &'static str,
    /// Packets sent for each packet that arrives.
    amplification: i32,
    /// Packets sent for each transmit descriptor.
    burst: i32,
    /// Whether the packets go to the sending endpoint itself, or to an endpoint on the other NIC.
    to_itself: bool,
}

const FLOODS: [Flood; 8] = [
    flood("to itself, 1 for 1", 1, 1, true),
    flood("to itself, 2 for 1", 2, 1, true),
    flood("to itself, 3 for 1", 3, 1, true),
    flood("to itself, 64 for 1", 64, 1, true),
    flood("across, 2 for 1", 2, 1, false),
    flood("across, 3 for 1", 3, 1, false),
    flood("across, 64 for 1", 64, 1, false),
    flood("bursts of 64", 0, 64, false),
];

const fn flood(name: &'static str, amplification: i32, burst: i32, to_itself: bool) -> Flood {
    Flood {
        name,
        amplification,
        burst,
        to_itself,
    }
}

impl Flood {
    /// Returns a scenario with `hostile` hostile endpoints on each of two NICs.
    fn beside(&self, profile: &str, sram: &str, hostile: usize) -> Scenario {
        let mut toml = format!(
            "profile = '{profile}'\nuntil = '1000s'\nmax_events = 50000000\n\
             [[nic]]\nname = 'a'\n{sram}\n[[nic]]\nname = 'b'\n{sram}\n"
        );
        for (pair, applet) in [("base", ""), ("raw", "applet = 'builtin:RawUnet'\n")] {
            let _infallible = write!(
                toml,
                "[[endpoint]]\nnic = 'a'\nname = '{pair}-sender'\n{applet}\
                 [[endpoint]]\nnic = 'b'\nname = '{pair}-receiver'\n{applet}\
                 buffer_area = 200000\nfree_buffers = {{ count = 40, length = 4096 }}\n\
                 [[channel]]\n{pair}-sender = 1\n{pair}-receiver = 1\n\
                 [[send]]\nendpoint = '{pair}-sender'\nchannel = 1\nat = '1ms'\n\
                 payload = {{ count = 1000 }}\nrepeat = {MESSAGES}\nevery = '100us'\n"
            );
        }
        for number in 0..hostile {
            let _infallible = write!(
                toml,
                "[[endpoint]]\nnic = 'a'\nname = 'h{number}a'\n[[endpoint]]\nnic = 'b'\nname = 'h{number}b'\n"
            );
            let _infallible = if self.to_itself {
                write!(
                    toml,
                    "[[channel]]\nh{number}a = [1, 2]\n[[channel]]\nh{number}b = [1, 2]\n"
                )
            } else {
                write!(toml, "[[channel]]\nh{number}a = 1\nh{number}b = 1\n")
            };
            for nic in ["a", "b"] {
                let _infallible = write!(
                    toml,
                    "[[send]]\nendpoint = 'h{number}{nic}'\nchannel = 1\npayload = {{ zeros = 1 }}\nrepeat = 1000\n"
                );
            }
        }
        let mut scenario = scenario(&toml, None, None);
        let class = scenario.classes.len();
        let push = |times| {
            let push = Action::Push {
                channel: 1,
                length: 9000,
                times,
            };
            Body(if times > 0 { vec![push] } else { Vec::new() })
        };
        let applet = HostileApplet {
            timer: None,
            refill: None,
            tx: push(self.burst),
            rx: push(self.amplification),
            is_direct: false,
        };
        scenario.classes.push(ClassSpec {
            origin: "flood".to_owned(),
            bytes: applet.class().expect("it assembles"),
        });
        for endpoint in &mut scenario.endpoints {
            if endpoint.name.starts_with('h') {
                endpoint.class = Some(class);
            }
        }
        scenario
    }
}

/// The messages that the victims have received so far.
#[derive(Default)]
struct Victims {
    received: [usize; 2],
    done: [usize; 2],
    /// Time of the last message of each pair, in ns.
    last: [u64; 2],
    wrong: Vec<String>,
}

impl Sink for Victims {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let Some(name) = event.endpoint.map(|endpoint| names.endpoint(endpoint)) else {
            return;
        };
        if name.starts_with('h') {
            return;
        }
        let pair = usize::from(name.starts_with("raw"));
        match event.kind {
            EventKind::Unet(UnetEvent::RxDescriptor { length: 1000, .. }) => {
                self.received[pair] += 1;
                self.last[pair] = event.time.as_ns();
            }
            EventKind::Unet(UnetEvent::TxDone {
                status: TxStatus::Ok,
                ..
            }) => self.done[pair] += 1,
            EventKind::Nic(NicEvent::Drop { .. })
            | EventKind::Unet(UnetEvent::TxDone { .. })
            | EventKind::Sle(SleEvent::Trap { .. }) => {
                self.wrong.push(format!("{name}: {:?}", event.kind));
            }
            _ => {}
        }
    }

    fn has_failed(&self) -> bool {
        self.received == [MESSAGES; 2] && self.done == [MESSAGES; 2]
    }
}

/// Runs a scenario until the victims have received all messages; returns `None` if the scenario does not fit in SRAM.
fn run(scenario: &Scenario) -> Option<Victims> {
    let mut victims = Victims::default();
    match Run::new(scenario)
        .sink(&mut victims)
        .execute()
        .map(|outcome| outcome.end)
    {
        Ok(_) => Some(victims),
        Err(SimError::SramTooSmall(_)) => None,
        Err(error) => panic!("{error}"),
    }
}

/// Checks that the victims receive all messages, and returns their times relative to a run without floods, in tenths.
fn hold(flood: &Flood, profile: &str, sram: &str, hostile: usize) -> Option<[u64; 2]> {
    let alone = run(&flood.beside(profile, sram, 0))?;
    let beside = run(&flood.beside(profile, sram, hostile))?;
    let what = format!("{} x {hostile} on {profile}", flood.name);
    assert_eq!(beside.wrong, Vec::<String>::new(), "{what}");
    assert_eq!(beside.received, [MESSAGES; 2], "{what}");
    assert_eq!(beside.done, [MESSAGES; 2], "{what}");
    let begun = 1_000_000;
    let longer = |pair: usize| (beside.last[pair] - begun) * 10 / (alone.last[pair] - begun);
    let longer = [longer(0), longer(1)];
    println!(
        "{what}: base path x{}.{}, RawUnet x{}.{}",
        longer[0] / 10,
        longer[0] % 10,
        longer[1] / 10,
        longer[1] % 10
    );
    Some(longer)
}

#[test]
fn victims_beside_the_most_floods_get_all() {
    for flood in &FLOODS {
        let most = (1..)
            .take_while(|&hostile| hold(flood, "lanai-1998", "", hostile).is_some())
            .last();
        assert!(most >= Some(2), "{}: {most:?}", flood.name);
    }
}

#[test]
fn victims_beside_64_floods_get_all() {
    for flood in &FLOODS {
        assert!(hold(flood, "lanai-1998", "sram = '16MiB'", 64).is_some());
    }
}

#[test]
fn victims_beside_floods_on_a_modern_nic_get_all() {
    for flood in &FLOODS {
        for hostile in [2, 8, 63] {
            assert!(hold(flood, "modern", "", hostile).is_some());
        }
    }
}
