//! Compares the messages that endpoints receive with the expected ones.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use nic_core::event::fields::Payload;
use nic_core::id::{ChannelId, EndpointId};

use super::difference::Difference;
use super::shortfall::{At, Count, On, Shortfall};
use crate::spec::{Expectation, Expected, Order, Scenario};

/// Maximum number of unexpected messages that are kept for a group of expectations in any order. The judge keeps
/// unexpected messages to show the one that is most like a missing message.
const STRANGERS_MAX: usize = 4;

/// The longest unexpected message that is kept, in bytes.
const STRANGER_BYTES_MAX: usize = 4_096;

/// The messages that an endpoint receives: those on one of its channels, or all.
type Way = (EndpointId, Option<ChannelId>);

/// The expected messages of a scenario that have not come yet.
#[derive(Debug)]
pub(super) struct Messages<'s> {
    scenario: &'s Scenario,
    in_order: BTreeMap<Way, InOrder<'s>>,
    in_any_order: BTreeMap<Way, InAnyOrder<'s>>,
}

/// A message that is expected a number of times.
#[derive(Copy, Clone, Debug)]
struct Awaited<'s> {
    /// The index of the expectation that names the message.
    expectation: usize,
    payload: &'s [u8],
    repeat: u64,
    /// How many more times the message is expected.
    left: u64,
}

/// Messages that are expected in the order of the scenario file.
#[derive(Debug, Default)]
struct InOrder<'s> {
    awaited: VecDeque<Awaited<'s>>,
    /// How many messages the endpoint has received.
    came: u64,
}

/// Messages that are expected in any order.
#[derive(Debug, Default)]
struct InAnyOrder<'s> {
    awaited: BTreeMap<&'s [u8], VecDeque<Awaited<'s>>>,
    came: u64,
    /// The first few messages that the endpoint received and no expectation named.
    strangers: Vec<Vec<u8>>,
}

impl<'s> Messages<'s> {
    /// Collects the expected messages of a scenario.
    pub(super) fn new(scenario: &'s Scenario) -> Messages<'s> {
        let mut messages = Messages {
            scenario,
            in_order: BTreeMap::new(),
            in_any_order: BTreeMap::new(),
        };
        let expectations = scenario.expectations.iter().enumerate();
        for (expectation, Expectation { endpoint, what, .. }) in expectations {
            let (
                Some(endpoint),
                Expected::Messages {
                    channel,
                    payloads,
                    repeat,
                    order,
                },
            ) = (endpoint, what)
            else {
                continue;
            };
            let way = (*endpoint, *channel);
            let awaited = payloads.iter().map(|payload| Awaited {
                expectation,
                payload,
                repeat: *repeat,
                left: *repeat,
            });
            match order {
                Order::File => messages
                    .in_order
                    .entry(way)
                    .or_default()
                    .awaited
                    .extend(awaited),
                Order::Any => {
                    let group = messages.in_any_order.entry(way).or_default();
                    for awaited in awaited {
                        group
                            .awaited
                            .entry(awaited.payload)
                            .or_default()
                            .push_back(awaited);
                    }
                }
            }
        }
        messages
    }

    /// Compares a message that an endpoint's user receives with the expected messages.
    pub(super) fn take(
        &mut self,
        endpoint: EndpointId,
        channel: ChannelId,
        payload: Payload<'_>,
        shortfalls: &mut [Option<Shortfall>],
    ) {
        let ways = [(endpoint, Some(channel)), (endpoint, None)];
        for way in ways {
            if let Some(group) = self.in_order.get_mut(&way) {
                let to = To(self.scenario, way);
                group.take(payload, to, shortfalls);
            }
        }
        if ways.iter().any(|way| self.in_any_order.contains_key(way)) {
            let bytes = payload.bytes().collect::<Vec<_>>();
            for way in ways {
                if let Some(group) = self.in_any_order.get_mut(&way)
                    && group.take(&bytes)
                {
                    // A message meets one expectation only, and an expectation that names the channel takes precedence.
                    break;
                }
            }
        }
    }

    /// Records the expectations whose messages did not come.
    pub(super) fn end(&self, shortfalls: &mut [Option<Shortfall>]) {
        for (way, group) in &self.in_order {
            let to = To(self.scenario, *way);
            let came = Count(group.came, "receive descriptor");
            let mut number = group.came;
            for awaited in &group.awaited {
                let first = number.saturating_add(1);
                shortfalls[awaited.expectation].get_or_insert_with(|| {
                    let title = format!("expected receive descriptor {first} {to}, found {came}");
                    Shortfall::of(title)
                });
                number = number.saturating_add(awaited.left);
            }
        }
        for (way, group) in &self.in_any_order {
            let to = To(self.scenario, *way);
            for awaited in group.awaited.values().flatten() {
                let shortfall = &mut shortfalls[awaited.expectation];
                shortfall.get_or_insert_with(|| group.missing(*awaited, to));
            }
        }
    }
}

/// Formats the endpoint and the channel at which messages are expected.
#[derive(Copy, Clone)]
struct To<'s>(&'s Scenario, Way);

impl fmt::Display for To<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let To(scenario, (endpoint, channel)) = *self;
        write!(f, "at {}{}", At(scenario, Some(endpoint)), On(channel))
    }
}

impl InOrder<'_> {
    fn take(&mut self, payload: Payload<'_>, to: To<'_>, shortfalls: &mut [Option<Shortfall>]) {
        self.came += 1;
        let Some(awaited) = self.awaited.front_mut() else {
            return;
        };
        let shortfall = &mut shortfalls[awaited.expectation];
        if shortfall.is_none()
            && let Some(difference) = Difference::between(awaited.payload, || payload.bytes())
        {
            let number = self.came;
            *shortfall = Some(Shortfall {
                title: format!(
                    "expected this payload in receive descriptor {number} {to}, found another"
                ),
                note: Some(difference.to_string()),
            });
        }
        awaited.left -= 1;
        if awaited.left == 0 {
            self.awaited.pop_front();
        }
    }
}

impl InAnyOrder<'_> {
    /// Counts a received message, and returns whether the message was expected.
    fn take(&mut self, bytes: &[u8]) -> bool {
        self.came += 1;
        if let Some(alike) = self.awaited.get_mut(bytes)
            && let Some(awaited) = alike.front_mut()
        {
            awaited.left -= 1;
            if awaited.left == 0 {
                alike.pop_front();
            }
            return true;
        }
        if self.strangers.len() < STRANGERS_MAX && bytes.len() <= STRANGER_BYTES_MAX {
            self.strangers.push(bytes.to_vec());
        }
        false
    }

    /// Describes an expected message that did not come.
    fn missing(&self, awaited: Awaited<'_>, to: To<'_>) -> Shortfall {
        let expected = Count(awaited.repeat, "receive descriptor");
        let (found, came) = (awaited.repeat - awaited.left, self.came);
        let title =
            format!("expected {expected} {to} with this payload, found {found} among {came}");
        let closest = self.closest(awaited.payload);
        Shortfall {
            title,
            note: closest.map(|closest| format!("of the message most like it, {closest}")),
        }
    }

    /// Finds the unexpected message that is most like this expected message. Returns the difference between the
    /// expected message and the one found.
    fn closest(&self, expected: &[u8]) -> Option<Difference> {
        // The function `max_by_key` returns the last of equal elements. The order of the messages is reversed, so that
        // `max_by_key` finds the message that came first.
        let strangers = self.strangers.iter().rev();
        let differences =
            strangers.filter_map(|bytes| Difference::between(expected, || bytes.iter().copied()));
        differences.max_by_key(|difference| difference.offset)
    }
}
