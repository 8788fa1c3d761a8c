//! Random schedules of 2 to 4 nodes: what each reader reads at rest is what was stored last.
//!
//! Each byte of a port has one process that writes it, so the program of this process says what the byte is at rest. In
//! debug builds, the simulator compares each page with its frame after each event that changes one of them.

use std::collections::BTreeMap;

use nic_core::event::EndReason;
use nic_core::lmmc::Policy;
use nic_core::random::Generator;
use nic_core::time::SimTime;
use nic_runtime::host::{Actions, Happened};
use nic_runtime::spec::{PortSpec, Scenario};

use super::{Cast, port, us, world};
use crate::runs::runs;

const NAMES: [&[&str]; 4] = [&["a0", "a1"], &["b0", "b1"], &["c0", "c1"], &["d0", "d1"]];

/// The bytes of a page that one process writes.
const SHARE: u32 = 64;

#[derive(Clone, Debug)]
enum Act {
    Store(i32, u32, Vec<u8>),
    Compute(u64),
    Wait(i32, u32, u64),
    Load(i32, u32),
}

struct Draws(Generator);

impl Draws {
    fn below(&mut self, limit: u32) -> u32 {
        (self.0.draw() % u64::from(limit.max(1))) as u32
    }

    /// Returns some of the two processes of a node.
    fn processes(&mut self, node: u32) -> Vec<u32> {
        let first = 2 * node;
        [vec![first], vec![first + 1], vec![first, first + 1]][self.below(3) as usize].clone()
    }
}

struct Schedule {
    scenario: Scenario,
    acts: Vec<Vec<Act>>,
    /// The page of each port at rest.
    pages: Vec<Vec<u8>>,
}

fn draw(draws: &mut Draws) -> Schedule {
    let nodes = 2 + draws.below(3);
    let frames = (1 + draws.below(3)).to_string();
    let pick =
        |draws: &mut Draws, list: &[&'static str]| list[draws.below(list.len() as u32) as usize];
    let values = [
        ("lmmc.frames", frames.as_str()),
        ("lmmc.page", "'256B'"),
        ("memory.send_slots", pick(draws, &["1", "4"])),
        ("memory.arrival_slots", pick(draws, &["1", "4"])),
        ("wire.buffer", pick(draws, &["'9KiB'", "'16KiB'"])),
        ("lmmc.victim", pick(draws, &["'fifo'", "'clock'"])),
        ("lmmc.scheduling", pick(draws, &["'preferred'", "'plain'"])),
        (
            "lmmc.late_flush",
            pick(draws, &["'1us'", "'5us'", "'200us'"]),
        ),
        ("lmmc.interrupt", pick(draws, &["'0us'", "'1us'", "'30us'"])),
    ];
    let mut scenario = world(&NAMES[..nodes as usize], &values);
    for nic in &mut scenario.nics {
        nic.host = [None, Some(1), Some(2)][draws.below(3) as usize];
    }
    let count = 2 + draws.below(12);
    for _ in 0..count {
        let from = draws.below(nodes);
        let to = (from + 1 + draws.below(nodes - 1)) % nodes;
        let policy = [Policy::Immediate, Policy::Late][draws.below(2) as usize];
        let (from, to) = (draws.processes(from), draws.processes(to));
        scenario.ports.push(port(&from, &to, policy));
    }
    let mut acts = vec![Vec::new(); 2 * nodes as usize];
    let mut pages = vec![vec![0; 256]; count as usize];
    for (process, acts) in acts.iter_mut().enumerate() {
        let is_in =
            |list: &[nic_core::id::EndpointId]| list.iter().any(|id| id.0 as usize == process);
        let pages_of =
            |scenario: &Scenario, of: fn(&PortSpec) -> &Vec<nic_core::id::EndpointId>| {
                let all = scenario.ports.iter().enumerate();
                let own = all.filter(|(_, spec)| is_in(of(spec)));
                own.map(|(number, _)| number).collect::<Vec<_>>()
            };
        let written = pages_of(&scenario, |spec| &spec.from);
        let read = pages_of(&scenario, |spec| &spec.to);
        for _ in 0..draws.below(40) {
            match draws.below(8) {
                0 => acts.push(Act::Compute(draws.below(40).into())),
                1 if !read.is_empty() => {
                    let page = read[draws.below(read.len() as u32) as usize] as i32;
                    let word = 4 * draws.below(2 * SHARE / 4);
                    acts.push(Act::Wait(page, word, draws.below(60).into()));
                }
                2 if !read.is_empty() => {
                    let page = read[draws.below(read.len() as u32) as usize] as i32;
                    acts.push(Act::Load(page, draws.below(250)));
                }
                _ if !written.is_empty() => {
                    let page = written[draws.below(written.len() as u32) as usize];
                    // The two processes of a node write different parts of a page.
                    let share = process as u32 % 2 * SHARE;
                    let start = draws.below(SHARE);
                    let length = 1 + draws.below(SHARE - start);
                    let bytes: Vec<u8> = (0..length).map(|_| draws.below(256) as u8).collect();
                    let from = (share + start) as usize;
                    pages[page][from..from + bytes.len()].copy_from_slice(&bytes);
                    acts.push(Act::Store(page as i32, share + start, bytes));
                }
                _ => {}
            }
        }
    }
    Schedule {
        scenario,
        acts,
        pages,
    }
}

fn act(home: nic_core::id::EndpointId, actions: &mut Actions<'_>, act: &Act) {
    match act {
        Act::Store(page, offset, bytes) => actions.store(home, 0, (*page, *offset), bytes.clone()),
        Act::Compute(micros) => actions.compute(us(*micros)),
        Act::Wait(page, offset, within) => {
            actions.wait_word(home, 0, (*page, *offset), (0, Some(us(*within))));
        }
        Act::Load(page, offset) => actions.load(home, 0, (*page, *offset, 4)),
    }
}

#[test]
fn every_reader_reads_at_rest_what_was_stored_last() {
    let mut reached: BTreeMap<&str, usize> = BTreeMap::new();
    for run in 0..runs(60) {
        let mut draws = Draws(Generator::named(run, &["lmmc", "schedules"]));
        let Schedule {
            mut scenario,
            acts,
            pages,
        } = draw(&mut draws);
        scenario.until = SimTime::MAX;
        scenario.events_max = 100_000;
        let mut cast = Cast::default();
        for (process, own) in acts.into_iter().enumerate() {
            let name = NAMES[process / 2][process % 2];
            let read: Vec<usize> = (0..scenario.ports.len())
                .filter(|page| {
                    let to = &scenario.ports[*page].to;
                    to.iter().any(|id| id.0 as usize == process)
                })
                .collect();
            cast = cast.told(name, move |what, actions| {
                let home = actions.endpoints()[0];
                match what {
                    Happened::Started => {
                        own.iter().for_each(|one| act(home, actions, one));
                        // Long after all stores have arrived.
                        actions.wake_at(SimTime::ZERO + us(1_000_000));
                    }
                    Happened::Time => {
                        for page in &read {
                            actions.load(home, 1_000 + *page as u64, (*page as i32, 0, 256));
                        }
                    }
                    _ => {}
                }
            });
        }
        let (trace, heard) = cast.run(&scenario);
        if trace.end.reason != EndReason::Idle {
            println!("{}", &trace.text[..3000]);
            println!("TAIL {}", &trace.text[trace.text.len() - 6000..]);
            println!(
                "{:?} {:?}",
                scenario.ports,
                scenario.nics.iter().map(|n| n.host).collect::<Vec<_>>()
            );
        }
        assert_eq!(trace.end.reason, EndReason::Idle, "{run}");
        for refusal in ["message-refused", "port-refused", "wire-drop", "drop"] {
            assert!(trace.of(refusal).is_empty(), "{run}: {refusal}");
        }
        for (page, bytes) in pages.iter().enumerate() {
            let expected = format!(": {} {bytes:?}", 1_000 + page);
            let ticket = format!(": {} ", 1_000 + page);
            let loads: Vec<&String> = heard.iter().filter(|line| line.contains(&ticket)).collect();
            assert_eq!(loads.len(), scenario.ports[page].to.len(), "{run}");
            for load in loads {
                assert!(load.ends_with(&expected), "{run}: {load}, not {expected}");
            }
        }
        for name in ["fault", "stop", "flush", "sleep", "wake", "window-write"] {
            *reached.entry(name).or_default() += trace.of(name).len();
        }
    }
    for (name, count) in reached {
        assert!(count > 20, "{name}: {count}");
    }
}
