//! What each way of a message promises, as docs/simulation.md, docs/emp.md, docs/via.md and the page of `Reliable` say.

use nic_core::via::Reliability;

use super::cast::{Applet, Exchange, Pair, Way};

/// In which order messages arrive that do arrive.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// In any.
    Any,
    /// Those of one tag in the order in which they were posted.
    OfTag,
    /// In the order in which they were posted.
    Posted,
    /// In the order in which they were posted, and none is left out between two that arrive.
    Gapless,
}

/// What a sender knows from a status.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Means {
    /// Nothing about the peer.
    Nothing,
    /// A message with status `ok` has arrived at the user.
    Arrived,
}

/// The promise of a direction.
#[derive(Copy, Clone, Debug)]
pub(super) struct Promise {
    pub(super) order: Order,
    /// Whether a message arrives at most once.
    pub(super) once: bool,
    /// Bits that may differ in a message.
    pub(super) flips: u32,
    pub(super) means: Means,
    /// Whether every message with status `ok` is received or has an event that says why not.
    pub(super) accounted: bool,
    /// Whether a message may be cut off at the length of a receive.
    pub(super) cuts: bool,
    /// Whether headers may differ too, so that the NIC may put a frame in a wrong place.
    pub(super) any_bytes: bool,
}

impl Promise {
    pub(super) fn of(exchange: &Exchange, pair: &Pair) -> Promise {
        let faults = exchange.faults;
        let flips = match faults.flips() {
            // Each of two copies has one flipped bit at most, and one copy makes a message.
            true => 1,
            false => 0,
        };
        let plain = Promise {
            order: match faults.reorder > 0 {
                true => Order::Any,
                false => Order::Posted,
            },
            once: faults.duplicate == 0,
            flips,
            means: Means::Nothing,
            accounted: !faults.is_any(),
            cuts: false,
            any_bytes: false,
        };
        match pair.way {
            // The wire loses, repeats and reorders packets, and U-Net passes this on.
            Way::Plain => plain,
            // An applet drops messages for which it has no buffers, and says nothing.
            Way::Applet(Applet::RawUnet | Applet::RawUnetSingle) => Promise {
                accounted: false,
                ..plain
            },
            // "Each message arrives exactly once, intact and in order, until the link is cut."
            Way::Applet(Applet::Reliable)
            | Way::EmpApplet(Applet::Reliable)
            | Way::ViaApplet(_, Applet::Reliable) => Promise {
                order: Order::Posted,
                once: true,
                flips: 0,
                means: Means::Nothing,
                accounted: false,
                cuts: false,
                any_bytes: false,
            },
            // The window has no queue: the law looks at memory.
            Way::Windows => Promise {
                order: Order::Any,
                accounted: false,
                ..plain
            },
            // Messages with equal source and tag arrive in order. A message is complete at its sender when its last
            // frame is acknowledged. Without a checksum a header may change as well.
            Way::Emp => Promise {
                order: Order::OfTag,
                once: true,
                flips: 0,
                means: match faults.flips() {
                    true => Means::Nothing,
                    false => Means::Arrived,
                },
                accounted: !faults.flips(),
                cuts: true,
                any_bytes: faults.flips(),
            },
            Way::EmpApplet(Applet::RawUnet | Applet::RawUnetSingle) => Promise {
                order: Order::Posted,
                once: true,
                flips: 0,
                means: Means::Nothing,
                accounted: false,
                cuts: false,
                any_bytes: faults.flips(),
            },
            // At most once.
            Way::Via(Reliability::Unreliable)
            | Way::ViaApplet(_, Applet::RawUnet | Applet::RawUnetSingle) => Promise {
                order: Order::Posted,
                once: true,
                flips,
                means: Means::Nothing,
                accounted: false,
                cuts: false,
                any_bytes: false,
            },
            // Exactly once, or the connection breaks.
            Way::Via(level) => Promise {
                order: Order::Gapless,
                once: true,
                flips,
                means: match level {
                    Reliability::Reception => Means::Arrived,
                    Reliability::Delivery | Reliability::Unreliable => Means::Nothing,
                },
                accounted: false,
                cuts: false,
                any_bytes: false,
            },
            // A lost write breaks the connection at every level, and a flipped bit loses the write even without a
            // checksum. What is not sent for lack of a descriptor completes as `dropped`.
            Way::Clan(level) => Promise {
                order: Order::Gapless,
                once: true,
                flips: 0,
                means: match level {
                    Reliability::Reception => Means::Arrived,
                    Reliability::Delivery | Reliability::Unreliable => Means::Nothing,
                },
                accounted: false,
                cuts: false,
                any_bytes: false,
            },
        }
    }
}
