//! The arguments of an applet's entries: which values each cause of a call passes.
//!
//! The analysis of worst cases relies on the table of this module, and each call is compared with the table in builds
//! with debug assertions.

use std::ops::RangeInclusive;

use nic_core::sle::NicEntry;
use nic_core::unet::INLINE_MAX;

use super::site::AppletSite;
use crate::calls::call::Way;
use crate::calls::call::{Call, Cause};
use crate::engine::Simulation;

/// A number of a channel or window of a scenario, which is not negative.
const NATURAL: RangeInclusive<i32> = 0..=i32::MAX;
/// A number that an applet has chosen: `dmaRxd` and `dmaRxdPayload` take any number as the channel of a descriptor.
const ANY: RangeInclusive<i32> = i32::MIN..=i32::MAX;
/// The place of a parameter that an entry does not have.
const NONE: RangeInclusive<i32> = 0..=0;

/// The kinds of causes for a call of an applet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum CauseKind {
    /// A transmit descriptor of the user.
    Post,
    /// A packet from the wire.
    Arrival,
    /// The applet's timer.
    Timer,
    /// A receive buffer that comes back.
    Refill,
    /// A write of a peer to watched bytes.
    Watch,
    /// The end of a read of a peer's window.
    Read,
    /// A message of the chain's previous applet, on its way to the wire.
    FromAbove,
    /// A message of the chain's next applet, on its way to the user.
    FromBelow,
}

impl CauseKind {
    const ALL: [CauseKind; 8] = [
        CauseKind::Post,
        CauseKind::Arrival,
        CauseKind::Timer,
        CauseKind::Refill,
        CauseKind::Watch,
        CauseKind::Read,
        CauseKind::FromAbove,
        CauseKind::FromBelow,
    ];

    fn of(cause: &Cause) -> CauseKind {
        match cause {
            Cause::Post(_) => CauseKind::Post,
            Cause::Arrival { .. } => CauseKind::Arrival,
            Cause::Timer(_) => CauseKind::Timer,
            Cause::Refill(_) => CauseKind::Refill,
            Cause::Watch(_) => CauseKind::Watch,
            Cause::Read(_) => CauseKind::Read,
            Cause::Chain(message) => match message.way {
                Way::Down => CauseKind::FromAbove,
                Way::Up => CauseKind::FromBelow,
            },
        }
    }

    /// Returns the entry that is called.
    fn entry(self) -> NicEntry {
        match self {
            CauseKind::Post | CauseKind::FromAbove => NicEntry::DoTx,
            CauseKind::Arrival | CauseKind::FromBelow => NicEntry::DoRx,
            CauseKind::Timer => NicEntry::DoTimer,
            CauseKind::Refill => NicEntry::DoRefill,
            CauseKind::Watch => NicEntry::DoWatch,
            CauseKind::Read => NicEntry::DoRead,
        }
    }

    /// Returns whether an applet at this place is called for this cause.
    fn reaches(self, site: &AppletSite) -> bool {
        match self {
            CauseKind::Post => !site.has_above,
            CauseKind::Arrival => !site.has_below,
            CauseKind::Timer | CauseKind::Refill | CauseKind::Watch | CauseKind::Read => true,
            CauseKind::FromAbove => site.has_above,
            CauseKind::FromBelow => site.has_below,
        }
    }

    /// Returns the values of the entry's parameters, in the order of its descriptor.
    fn ranges(
        self,
        site: &AppletSite,
    ) -> impl ExactSizeIterator<Item = RangeInclusive<i32>> + use<> {
        let area = site.buffer_area.cast_signed();
        let packet = site.max_packet.cast_signed();
        let (count, ranges) = match self {
            // `resolve` accepts a descriptor of bytes in the buffer area, which the applet may divide among packets.
            CauseKind::Post => (3, [0..=area, NATURAL, 0..=area]),
            // The packet fits in `RxBuf`.
            CauseKind::Arrival => (2, [0..=packet, NATURAL, NONE]),
            CauseKind::Timer => (0, [NONE, NONE, NONE]),
            // The buffer is a free buffer or a receive descriptor itself, which has the offset -1. The applet has
            // chosen the channel of the descriptor.
            CauseKind::Refill => {
                let longest = site.free_buffer_length.max(INLINE_MAX as u32);
                (3, [0..=longest.cast_signed(), ANY, -1..=area])
            }
            // `watch` accepts a range inside a window, and a window is inside the buffer area.
            CauseKind::Watch => (3, [NATURAL, 0..=area, 0..=area]),
            // `windowRead` accepts an offset in a window of a peer, whose buffer area may be larger.
            CauseKind::Read => (3, [NATURAL, NATURAL, 0..=2]),
            // `txPush` accepts a channel of the endpoint. Messages start where the buffer area ends.
            CauseKind::FromAbove => (3, [0..=packet, NATURAL, area..=area]),
            CauseKind::FromBelow => (2, [0..=packet, ANY, NONE]),
        };
        ranges.into_iter().take(count)
    }
}

/// Returns the values that the parameters of an entry have at a place, in the order of the entry's descriptor.
pub(super) fn ranges(entry: NicEntry, site: &AppletSite) -> Vec<RangeInclusive<i32>> {
    let causes = CauseKind::ALL.into_iter();
    let causes = causes.filter(|cause| cause.entry() == entry && cause.reaches(site));
    let hull = |one: RangeInclusive<i32>, other: RangeInclusive<i32>| {
        *one.start().min(other.start())..=*one.end().max(other.end())
    };
    causes
        .map(|cause| cause.ranges(site).collect::<Vec<_>>())
        .reduce(|one, other| {
            one.into_iter()
                .zip(other)
                .map(|(a, b)| hull(a, b))
                .collect()
        })
        .unwrap_or_default()
}

/// Returns whether a call passes only arguments that the table states for the call's cause.
pub(crate) fn are_stated(sim: &Simulation<'_>, call: &Call) -> bool {
    let spec = &sim.specs[call.applet_at.endpoint];
    let chain = sim.chains.of(call.applet_at.endpoint);
    let site = AppletSite {
        has_above: chain.is_some_and(|chain| chain.first() != call.applet_at.applet),
        has_below: chain.is_some_and(|chain| chain.last() != call.applet_at.applet),
        max_packet: sim.scenario.profile_of(spec.nic).memory.max_packet.get(),
        ..AppletSite::of_spec(spec)
    };
    let cause = CauseKind::of(&call.cause);
    let mut place = [0; 3];
    let arguments = call.arguments(&mut place);
    let ranges = cause.ranges(&site);
    cause.entry() == call.entry()
        && cause.reaches(&site)
        && ranges.len() == arguments.len()
        && ranges
            .zip(arguments)
            .all(|(range, argument)| range.contains(argument))
}
