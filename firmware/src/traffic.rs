//! The messages of a run: the same as `payload = { random = LENGTH }` sends with the same seed.

use core::fmt::Write;

use heapless::{String, Vec};
use nic_core::random::Generator;
use nic_core::time::{SimDuration, SimTime};

use crate::failure::Failure;
use crate::memory::PACKET_BYTES_MAX;
use crate::names::ENDPOINT;

/// Maximum number of messages of a run.
const MESSAGES_MAX: usize = 16;

/// Time between two messages, and before the first message. As in the scenarios.
const EVERY: SimDuration = SimDuration::from_ns(1_000_000);

/// The messages of a run.
pub(crate) struct Traffic {
    seed: u64,
    lengths: Vec<usize, MESSAGES_MAX>,
}

/// Maximum number of swaps of a run.
const SWAPS_MAX: usize = 16;

/// The word that stands for a swap among the lengths of messages.
const SWAP: &str = "swap";

/// Time of a swap after the message before it. As in the scenario.
const SWAP_AFTER: SimDuration = SimDuration::from_ns(500_000);

/// What a run does next.
#[derive(Copy, Clone)]
pub(crate) enum Step {
    /// The user sends a message.
    Message(Message),
    /// The applet may be replaced at this time.
    Swap(SimTime),
}

/// The messages of a run, and the swaps between them.
pub(crate) struct TrafficWithSwaps {
    traffic: Traffic,
    /// How many messages precede each swap.
    swaps: Vec<usize, SWAPS_MAX>,
}

impl TrafficWithSwaps {
    /// Returns messages and swaps in their order.
    pub(crate) fn steps(&self) -> impl Iterator<Item = Step> {
        let swaps_after = |before: usize| {
            let swaps = self.swaps.iter().filter(move |swap| **swap == before);
            swaps.map(move |_| {
                let message = SimTime::ZERO + EVERY.times(before as u64);
                Step::Swap(message + SWAP_AFTER)
            })
        };
        let messages = self.traffic.messages().map(Step::Message);
        let after = messages.zip(1..).flat_map(move |(message, number)| {
            core::iter::once(message).chain(swaps_after(number))
        });
        swaps_after(0).chain(after)
    }
}

/// A message.
#[derive(Copy, Clone)]
pub(crate) struct Message {
    /// The time at which the user sends the message.
    pub(crate) time: SimTime,
    /// Length in bytes.
    pub(crate) length: u32,
    seed: u64,
    position: usize,
}

impl Traffic {
    /// Parses the seed and the lengths of the messages.
    pub(crate) fn parse<'a>(
        seed: &str,
        lengths: impl Iterator<Item = &'a str>,
    ) -> Result<Traffic, Failure> {
        let usage = Failure::Usage {
            max: PACKET_BYTES_MAX,
        };
        let mut traffic = Traffic {
            seed: seed.parse().map_err(|_| usage)?,
            lengths: Vec::new(),
        };
        for length in lengths {
            let length = length.parse().map_err(|_| usage)?;
            if length > PACKET_BYTES_MAX {
                return Err(usage);
            }
            let pushed = traffic.lengths.push(length);
            pushed.map_err(|_| Failure::Room {
                what: "messages",
                needed: MESSAGES_MAX + 1,
                room: MESSAGES_MAX,
            })?;
        }
        Ok(traffic)
    }

    /// Parses the seed, and the lengths of the messages with the swaps between them.
    pub(crate) fn with_swaps<'a>(
        seed: &str,
        steps: impl Iterator<Item = &'a str>,
    ) -> Result<TrafficWithSwaps, Failure> {
        let mut swaps = Vec::new();
        let (mut messages, mut too_many) = (0, false);
        let lengths = steps.filter(|step| {
            let is_swap = *step == SWAP;
            if is_swap {
                too_many |= swaps.push(messages).is_err();
            } else {
                messages += 1;
            }
            !is_swap
        });
        let traffic = Traffic::parse(seed, lengths)?;
        if too_many {
            return Err(Failure::Room {
                what: "swaps",
                needed: SWAPS_MAX + 1,
                room: SWAPS_MAX,
            });
        }
        Ok(TrafficWithSwaps { traffic, swaps })
    }

    /// Returns the messages in sending order.
    pub(crate) fn messages(&self) -> impl Iterator<Item = Message> {
        let positions = self.lengths.iter().zip(1usize..);
        positions.map(|(&length, position)| Message {
            time: SimTime::ZERO + EVERY.times(position as u64),
            // The cast is lossless: the length of a message is at most that of the longest packet.
            length: length as u32,
            seed: self.seed,
            position,
        })
    }
}

impl Message {
    /// Writes the message's bytes to `place`, which is as long as the message.
    pub(crate) fn write_to(&self, place: &mut [u8]) -> Result<(), Failure> {
        let mut position = String::<20>::new();
        write!(position, "{}", self.position)?;
        Generator::named(self.seed, &["send", ENDPOINT, &position]).fill(place);
        Ok(())
    }
}
