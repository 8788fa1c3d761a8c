//! The messages of a run: what `payload = { random = LENGTH }` sends under the same seed.

use core::fmt::Write;

use heapless::{String, Vec};
use nic_core::random::Generator;
use nic_core::time::{SimDuration, SimTime};

use crate::failure::Failure;
use crate::memory::PACKET_BYTES_MAX;
use crate::names::ENDPOINT;

/// Messages of one run at most.
const MESSAGES_MAX: usize = 16;

/// Time between two messages, and before the first; as the scenarios have it.
const EVERY: SimDuration = SimDuration::from_ns(1_000_000);

/// The messages of one run.
pub(crate) struct Traffic {
    seed: u64,
    lengths: Vec<usize, MESSAGES_MAX>,
}

/// One message.
#[derive(Copy, Clone)]
pub(crate) struct Message {
    /// When the user has it to send.
    pub(crate) time: SimTime,
    /// Its length in bytes.
    pub(crate) length: u32,
    seed: u64,
    position: usize,
}

impl Traffic {
    /// Reads a seed and lengths.
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

    /// Returns the messages, in the order in which they are sent.
    pub(crate) fn messages(&self) -> impl Iterator<Item = Message> {
        let positions = self.lengths.iter().zip(1usize..);
        positions.map(|(&length, position)| Message {
            time: SimTime::ZERO + EVERY.times(position as u64),
            // Not above the longest packet.
            length: length as u32,
            seed: self.seed,
            position,
        })
    }
}

impl Message {
    /// Writes the message's bytes into a place of its length.
    pub(crate) fn write_to(&self, place: &mut [u8]) -> Result<(), Failure> {
        let mut position = String::<20>::new();
        write!(position, "{}", self.position)?;
        Generator::named(self.seed, &["send", ENDPOINT, &position]).fill(place);
        Ok(())
    }
}
