//! The messages that endpoints receive, beside those that are expected of them.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use nic_core::event::fields::Payload;
use nic_core::id::{ChannelId, EndpointId};

use super::difference::Difference;
use super::shortfall::{At, Count, On, Shortfall};
use crate::scenario::{Expectation, Expected, Order, Scenario};

/// Messages that nobody expected and that are kept, for each group of expectations in any order.
const STRANGERS_MAX: usize = 4;

/// Bytes of the longest of them that is kept.
const STRANGER_BYTES_MAX: usize = 4_096;

/// The messages of an endpoint, on one of its channels or on any.
type Way = (EndpointId, Option<ChannelId>);

/// Messages that are expected, and how far a run has come with them.
#[derive(Debug)]
pub(super) struct Messages<'s> {
    scenario: &'s Scenario,
    in_order: BTreeMap<Way, InOrder<'s>>,
    in_any_order: BTreeMap<Way, InAnyOrder<'s>>,
}

/// A message that is expected a number of times.
#[derive(Copy, Clone, Debug)]
struct Awaited<'s> {
    /// Which expectation it belongs to.
    expectation: usize,
    payload: &'s [u8],
    repeat: u64,
    /// How often it is still expected.
    left: u64,
}

/// Messages in the order of the file.
#[derive(Debug, Default)]
struct InOrder<'s> {
    awaited: VecDeque<Awaited<'s>>,
    /// How many messages came.
    came: u64,
}

/// Messages in any order.
#[derive(Debug, Default)]
struct InAnyOrder<'s> {
    awaited: BTreeMap<&'s [u8], VecDeque<Awaited<'s>>>,
    came: u64,
    /// Messages that nobody expected, the first ones.
    strangers: Vec<Vec<u8>>,
}

impl<'s> Messages<'s> {
    /// Collects the messages that are expected.
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

    /// Takes a message that the user of an endpoint is shown.
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
                    // A message meets one expectation: the narrower, if there are two.
                    break;
                }
            }
        }
    }

    /// Notes the expectations whose messages did not come.
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

/// Shows to which endpoint messages come, and on which channel.
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
    /// Takes a message; returns whether it was expected.
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

    /// Says that a message did not come.
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

    /// Returns how the message differs that is most like this one among those that nobody expected.
    fn closest(&self, expected: &[u8]) -> Option<Difference> {
        // Of equals `max_by_key` returns the last, and the first that came is meant.
        let strangers = self.strangers.iter().rev();
        let differences =
            strangers.filter_map(|bytes| Difference::between(expected, || bytes.iter().copied()));
        differences.max_by_key(|difference| difference.offset)
    }
}
