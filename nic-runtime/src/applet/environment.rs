//! The environment of an applet on a NIC, for the analysis of the applet's worst case: arguments, results of natives,
//! and times.

use std::ops::RangeInclusive;

use jive_embed::Limits;
use jive_embed::analysis::{Entry, Environment, ForeignFields, Native};
use nic_core::event::DmaDirection;
use nic_core::sle::{EntryCost, NativeKind, NicEntry, NicNative};
use nic_core::time::SimDuration;

use super::arguments;
use super::{AppletSite, DetachedShape};
use crate::nic::DmaSchedule;
use crate::nic::costs::ALONE;
use crate::nic::costs::Costs;
use crate::profile::Profile;

/// The field that holds an arriving packet.
const PACKET_FIELD: &str = "RxBuf";

/// Returns the environment of an applet at this place, on a NIC with this profile.
///
/// The time of a call includes the transfers for which the call waits, the copies of a loop in host software, and the
/// slowdown by busy neighbours. The time leaves out all waits for a DMA engine, a slot or another processor.
#[must_use]
pub fn environment(profile: &Profile, site: &AppletSite) -> Environment {
    let costs = Costs::new(profile);
    let pace = Pace::of(profile, site);
    let entries = NicEntry::ALL.iter().map(|entry| {
        let cost = match entry.cost() {
            EntryCost::Tx => costs.tx,
            EntryCost::Rx => costs.rx,
            EntryCost::Timer => costs.timer,
            EntryCost::Refill => costs.refill,
            EntryCost::Watch => costs.watch,
        };
        let decl = entry.decl();
        Entry {
            name: decl.name.to_owned(),
            descriptor: decl.descriptor.to_owned(),
            parameters: arguments::ranges(*entry, site),
            // The processor works on the setup and on the call one after the other.
            time_ps: pace.of_work(cost.setup) + pace.of_work(cost.call),
        }
    });
    Environment {
        entries: Some(entries.collect()),
        natives: natives(profile, site, &costs),
        array_length_max: site.heap.max(site.max_packet),
        packet: Some((PACKET_FIELD.to_owned(), site.max_packet)),
        bytecode_ps: pace.of_work(costs.bytecode),
        foreign: site.foreign.clone(),
        heap_bytes: Some(site.heap),
        keeps_arrays: false,
    }
}

/// Returns the environment of a class of which every method may be called with any arguments, with the times of a
/// profile.
#[must_use]
pub fn class_environment(profile: &Profile, shape: DetachedShape) -> Environment {
    Environment {
        entries: None,
        array_length_max: i32::MAX.cast_unsigned(),
        packet: None,
        foreign: ForeignFields::None,
        heap_bytes: u32::try_from(Limits::default().heap_bytes).ok(),
        keeps_arrays: true,
        ..environment(profile, &AppletSite::alone(shape, 0))
    }
}

/// How long work takes while the neighbouring processors are busy.
#[derive(Copy, Clone, Debug)]
struct Pace {
    /// Factor in thousandths.
    factor: u32,
}

impl Pace {
    fn of(profile: &Profile, site: &AppletSite) -> Pace {
        Pace {
            factor: match site.has_neighbour {
                true => profile.processor.contention,
                false => ALONE,
            },
        }
    }

    /// Returns the longest time of work that takes the time `alone` without neighbours.
    ///
    /// The end of each piece of work is rounded up to a picosecond once, however often the piece is stretched or yields.
    /// A piece is the sum of several costs, and the sum of the rounded costs is at least the rounded sum.
    fn of_work(self, alone: SimDuration) -> u64 {
        let thousandths = u128::from(alone.as_ps()) * u128::from(self.factor);
        u64::try_from(thousandths.div_ceil(ALONE.into())).unwrap_or(u64::MAX)
    }
}

fn natives(profile: &Profile, site: &AppletSite, costs: &Costs) -> Vec<Native> {
    let natives = NicNative::ALL.iter().map(|native| Native {
        name: native.decl().name.to_owned(),
        result: result(*native, site),
        array_below_top: array_below_top(*native),
        time_ps: time(*native, profile, site, costs),
    });
    natives.collect()
}

/// Returns the position of the array that a native copies from or to, counted from the top of the operand stack.
fn array_below_top(native: NicNative) -> Option<usize> {
    match native.kind() {
        NativeKind::Fetch | NativeKind::Store | NativeKind::Peek => Some(3),
        NativeKind::Pure
        | NativeKind::Timer
        | NativeKind::ArrivalOffset
        | NativeKind::Allocate
        | NativeKind::BufferLength
        | NativeKind::PopBuffer
        | NativeKind::Push
        | NativeKind::DescribeBuffers
        | NativeKind::CarryMessage
        | NativeKind::Watch
        | NativeKind::WriteWindow
        | NativeKind::ReadWindow => None,
    }
}

/// Returns the time of a native as a function of its greatest last argument.
fn time(
    native: NicNative,
    profile: &Profile,
    site: &AppletSite,
    costs: &Costs,
) -> Box<dyn Fn(u32) -> u64> {
    let pace = Pace::of(profile, site);
    let own = pace.of_work(costs.of(native).time);
    let dma = DmaSchedule::of(profile);
    // A loop in host software copies the bytes before the call goes on.
    let (is_on_host, descriptor) = (profile.is_on_host(), profile.dma.descriptor);
    let copied = move |bytes: u32| match is_on_host {
        true => pace.of_work(dma.duration(DmaDirection::NicToHost, bytes)),
        false => 0,
    };
    let (site, costs) = (site.clone(), costs.clone());
    match native.kind() {
        NativeKind::Fetch => Box::new(move |length| {
            // A copy of more bytes than the buffer area or the handled message has traps.
            let transfer = dma.duration(DmaDirection::HostToNic, length.min(site.buffer_area));
            let by_dma = own.saturating_add(transfer.as_ps());
            match site.has_above {
                true => by_dma.max(pace.of_work(costs.of_copy(length.min(site.max_packet)))),
                false => by_dma,
            }
        }),
        NativeKind::Store if site.has_above => Box::new(move |length| {
            let by_copy = pace.of_work(costs.of_copy(length.min(site.free_bytes)));
            own.saturating_add(copied(length.min(site.buffer_area)))
                .max(by_copy)
        }),
        NativeKind::Store => {
            Box::new(move |length| own.saturating_add(copied(length.min(site.buffer_area))))
        }
        NativeKind::DescribeBuffers => Box::new(move |_| own.saturating_add(copied(descriptor))),
        // The message may go into several receive descriptors, and the time of each part is rounded up.
        NativeKind::CarryMessage if is_on_host => Box::new(move |length| {
            let parts = length / site.free_buffer_length.max(1) + 2;
            let message = copied(length.min(site.buffer_area)).saturating_add(parts.into());
            own.saturating_add(message)
                .saturating_add(copied(descriptor))
        }),
        NativeKind::Pure
        | NativeKind::Timer
        | NativeKind::ArrivalOffset
        | NativeKind::Peek
        | NativeKind::Allocate
        | NativeKind::BufferLength
        | NativeKind::PopBuffer
        | NativeKind::Push
        | NativeKind::CarryMessage
        | NativeKind::Watch
        | NativeKind::WriteWindow
        | NativeKind::ReadWindow => Box::new(move |_| own),
    }
}

fn result(native: NicNative, site: &AppletSite) -> RangeInclusive<i32> {
    match native.kind() {
        NativeKind::BufferLength => 0..=site.free_buffer_length.cast_signed(),
        // `getFreeBuffer` returns an offset in the buffer area, or -1.
        NativeKind::PopBuffer => -1..=site.buffer_area.cast_signed(),
        NativeKind::ArrivalOffset => 0..=site.buffer_area.cast_signed(),
        // The natives below return an array, or nothing that is known.
        NativeKind::Pure
        | NativeKind::Timer
        | NativeKind::Peek
        | NativeKind::Allocate
        | NativeKind::Fetch
        | NativeKind::Store
        | NativeKind::Push
        | NativeKind::DescribeBuffers
        | NativeKind::CarryMessage
        | NativeKind::Watch
        | NativeKind::WriteWindow
        | NativeKind::ReadWindow => i32::MIN..=i32::MAX,
    }
}
