//! `WindowBarrier`, over up to 16 NICs and links with faults: no barrier opens before the last NIC has entered.

use nic_runtime::Run;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use jive_lab::Random;
use nic_core::event::{Event, EventKind, Names, RemoteEvent, Sink, SleEvent, WindowName};
use nic_core::time::SimTime;
use tests::simulation::scenario;

use super::network::random;

const EPISODES: i32 = 3;

/// Number of repetitions of the last write, of which one arrives although links lose and damage up to two thirds of all
/// writes.
const FAREWELLS: u32 = 40;

/// When each NIC has entered and left each episode of the barrier, by the NIC's place and the episode.
#[derive(Default)]
struct Times {
    entered: BTreeMap<(u32, i32), SimTime>,
    left: BTreeMap<(u32, i32), SimTime>,
    traps: u32,
}

impl Sink for Times {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let Some(endpoint) = event.endpoint else {
            return;
        };
        match event.kind {
            // A NIC enters the barrier with its first write to window 0.
            EventKind::Remote(RemoteEvent::WindowWrite {
                window: WindowName::Numbered(0),
                payload,
                ..
            }) => {
                let episode = i32::from_be_bytes(payload.try_into().expect("four bytes"));
                let entered = self.entered.entry((endpoint.0, episode));
                entered.or_insert(event.time);
            }
            EventKind::Sle(SleEvent::AppletTrace { value, .. }) => {
                let left = self.left.insert((endpoint.0, value), event.time);
                assert_eq!(left, None, "it leaves an episode once");
            }
            EventKind::Sle(SleEvent::Trap { .. }) => self.traps += 1,
            EventKind::Sle(_)
            | EventKind::Remote(_)
            | EventKind::Lmmc(_)
            | EventKind::Host(_)
            | EventKind::Nic(_)
            | EventKind::Unet(_)
            | EventKind::Emp(_)
            | EventKind::Via(_) => {}
        }
    }
}

/// Barriers of up to 16 NICs.
pub(crate) fn law(seed: u64) {
    let random = &mut random("window barrier", seed);
    let rounds = 1 + random.below(4);
    holds(seed, random, rounds, EPISODES, 5000);
}

/// A barrier of two NICs that opens each ten seconds, until the applets' clock has wrapped twice.
pub(crate) fn wraps(seed: u64) {
    let random = &mut random("window barrier wraps", seed);
    holds(seed, random, 1, 900, 10_000_000);
}

fn holds(seed: u64, random: &mut Random, rounds: usize, episodes: i32, longest: usize) {
    // A NIC that works does not repeat its writes, so its peer may wait for as long.
    let retry = longest / 10;
    let nics = 1 << rounds;
    let mut text = "profile = \"clan-programmable\"\nuntil = \"100000s\"\n".to_owned();
    for nic in 0..nics {
        let work = longest - random.below(longest.min(5000));
        write!(
            text,
            "[[nic]]\nname = \"n{nic}\"\n[[endpoint]]\nnic = \"n{nic}\"\nname = \"e{nic}\"\n\
             applet = \"builtin:WindowBarrier\"\n\
             state = {{ ROUNDS = {rounds}, EPISODES = {episodes}, WORK = {work}, RETRY = {retry}, \
             FAREWELLS = {FAREWELLS} }}\n"
        )
        .expect("a string takes all that is written");
    }
    for nic in 0..nics {
        for round in 0..rounds {
            let owner = (nic + (1 << round)) % nics;
            write!(
                text,
                "[[window]]\nowner = \"e{owner}\"\nwriter = \"e{nic}\"\nnumber = {round}\n\
                 offset = {}\nlength = 4\n",
                4 * round
            )
            .expect("a string takes all that is written");
        }
        if nic > 0 {
            write!(
                text,
                "[[link]]\nbetween = [\"n{}\", \"n{nic}\"]\nloss = 0.{:02}\nduplicate = 0.{:02}\n\
                 reorder = 0.{:02}\ncorrupt = 0.{:02}\n",
                random.below(nic),
                random.below(50),
                random.below(30),
                random.below(30),
                random.below(30)
            )
            .expect("a string takes all that is written");
        }
    }
    let mut times = Times::default();
    Run::new(&scenario(&text, None, Some(seed)))
        .sink(&mut times)
        .execute()
        .expect("the scenario is right");
    assert_eq!(times.traps, 0);
    let places = u32::try_from(nics).expect("few NICs");
    for episode in 1..=episodes {
        let entered = (0..places).map(|nic| times.entered[&(nic, episode)]);
        let last = entered.max().expect("there are NICs");
        for nic in 0..places {
            let left = times.left.get(&(nic, episode));
            let left = left.unwrap_or_else(|| panic!("NIC {nic} never leaves episode {episode}"));
            assert!(
                *left >= last,
                "NIC {nic} leaves episode {episode} too early"
            );
        }
    }
}
