//! Ports of LMMC that are created, mapped, paged, deleted and created again leave nothing.

use nic_core::id::NicId;
use nic_core::lmmc::{Direction, Policy, PortId};
use nic_core::time::{SimDuration, SimTime};

use super::rest::{Found, read};
use crate::host::{Actions, Happened, HostProgram, PortName, PortNews, Programs};
use crate::profile::Profile;

/// A program that makes two ports in each round, writes to both of them, and deletes them.
struct Writes {
    rounds: u64,
    pages: Vec<i32>,
    has_ports: bool,
}

/// A program that maps the two ports of each round, waits for words of them, and gives the pages back.
struct Reads(u64);

fn after_us(micros: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_ns(micros * 1_000)
}

fn port(peer: u32, direction: Direction, id: u32) -> PortName {
    PortName {
        peer: NicId(peer),
        direction,
        id: PortId::new(id).expect("positive"),
    }
}

impl HostProgram for Writes {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let home = actions.endpoints()[0];
        match what {
            Happened::Started => {
                for round in 0..self.rounds {
                    actions.wake_at(after_us(5_000 * round));
                    actions.wake_at(after_us(5_000 * round + 3_000));
                }
            }
            Happened::Time if self.has_ports => {
                for page in self.pages.drain(..) {
                    actions.port_unmap(home, 0, page);
                }
                for id in [1, 2] {
                    actions.delete_port(home, 0, port(1, Direction::Send, id));
                }
                self.has_ports = false;
            }
            Happened::Time => {
                for _ in 0..2 {
                    actions.port_create(home, 0, (NicId(1), Direction::Send));
                }
                self.has_ports = true;
            }
            Happened::Port {
                what: PortNews::Created { created, .. },
                ..
            } => {
                let port = created.expect("two ids are free");
                actions.set_write_policy(home, 0, (port, Policy::Late));
                actions.port_map(home, 0, port);
            }
            Happened::Port {
                what: PortNews::Mapped { mapped, .. },
                ..
            } => {
                self.pages.push(mapped.expect("the port is open"));
                // The ports share a frame.
                for page in self.pages.repeat(2) {
                    actions.store(home, 0, (page, 0), vec![1; 4]);
                }
            }
            _ => {}
        }
    }
}

impl HostProgram for Reads {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let home = actions.endpoints()[0];
        match what {
            Happened::Started => {
                for round in 0..self.0 {
                    actions.wake_at(after_us(5_000 * round + 1_000));
                }
            }
            Happened::Time => {
                for id in [1, 2] {
                    actions.port_map(home, 0, port(0, Direction::Receive, id));
                }
            }
            Happened::Port {
                what: PortNews::Mapped { mapped, .. },
                ..
            } => {
                let page = mapped.expect("the port is open");
                let within = Some(SimDuration::from_ns(100_000));
                actions.wait_word(home, 0, (page, 0), (0, within));
                actions.wait_word(home, 0, (page, 4), (0, within));
                actions.port_unmap(home, 0, page);
            }
            _ => {}
        }
    }
}

#[test]
fn ports_that_are_made_and_deleted_leave_nothing() {
    let mut found = Found::default();
    let endpoint = |nic: &str, name: &str| {
        format!(
            "[[nic]]\nname = '{nic}'\n[[endpoint]]\nnic = '{nic}'\nname = '{name}'\ninterface = 'lmmc'\n"
        )
    };
    let text = format!(
        "until = '900s'\n{}{}",
        endpoint("x", "writer"),
        endpoint("y", "reader")
    );
    let mut profile = Profile::builtin("lmmc-1997").expect("a built-in profile");
    let lmmc = profile.lmmc.as_mut().expect("a section of LMMC");
    lmmc.frames = 1.try_into().expect("more than 0");
    found.check(
        "ports",
        |_| read(&text, Some(&profile)),
        |rounds| {
            let writes = Writes {
                rounds,
                pages: Vec::new(),
                has_ports: false,
            };
            Programs::new()
                .with("writer", writes)
                .with("reader", Reads(rounds))
        },
    );
    found.none();
}
