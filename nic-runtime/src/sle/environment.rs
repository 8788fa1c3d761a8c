//! The environment of an applet on a NIC, for the analysis of the applet's worst case: arguments, results of natives,
//! and times.

use std::ops::RangeInclusive;

use jive_embed::analysis::{Entry, Environment, Native};
use nic_core::event::DmaDirection;
use nic_core::sle::{EntryCost, NicEntry, NicNative};

use super::DetachedShape;
use crate::nic::DmaSchedule;
use crate::profile::Profile;
use crate::sim::costs::Costs;

/// A number that is not negative.
const NATURAL: RangeInclusive<i32> = 0..=i32::MAX;

/// The field that holds an arriving packet.
const PACKET_FIELD: &str = "RxBuf";

/// Returns the environment of the applet of an endpoint of this shape, with this heap, on a NIC with this profile.
///
/// The time of a call includes the transfers for which the call waits, but no wait for a DMA engine, a slot or another
/// processor.
#[must_use]
pub fn environment(profile: &Profile, shape: DetachedShape, heap: u32) -> Environment {
    let costs = Costs::new(profile);
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
            parameters: arguments(*entry, shape),
            time_ps: (cost.setup + cost.call).as_ps(),
        }
    });
    Environment {
        entries: Some(entries.collect()),
        natives: natives(profile, shape, &costs),
        array_length_max: heap.max(shape.max_packet),
        packet: Some((PACKET_FIELD.to_owned(), shape.max_packet)),
        bytecode_ps: costs.bytecode.as_ps(),
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
        ..environment(profile, shape, 0)
    }
}

/// Returns the possible values of an entry's parameters, in the order of the entry's descriptor.
fn arguments(entry: NicEntry, shape: DetachedShape) -> Vec<RangeInclusive<i32>> {
    let area = shape.buffer_area.cast_signed();
    match entry {
        // A descriptor names bytes of the buffer area, which the applet may divide among packets.
        NicEntry::DoTx => vec![0..=area, NATURAL, 0..=area],
        NicEntry::DoRx => vec![0..=shape.max_packet.cast_signed(), NATURAL],
        NicEntry::DoTimer => Vec::new(),
        // A message that is inside its receive descriptor has the offset -1.
        NicEntry::DoRefill => vec![0..=area, NATURAL, -1..=area],
        NicEntry::DoWatch => vec![NATURAL, 0..=area, 0..=area],
    }
}

fn natives(profile: &Profile, shape: DetachedShape, costs: &Costs) -> Vec<Native> {
    let natives = NicNative::ALL.iter().map(|native| {
        let time = costs.of(*native).time.as_ps();
        let dma = DmaSchedule::new(&profile.dma);
        let area = shape.buffer_area;
        let waits = match native {
            NicNative::DoHtoLDma => true,
            NicNative::NewAlignedArray
            | NicNative::GetFreeBufferLength
            | NicNative::GetFreeBuffer
            | NicNative::DoLtoHDma
            | NicNative::TxPush
            | NicNative::DmaRxd
            | NicNative::DmaRxdPayload
            | NicNative::CurrentTime
            | NicNative::SetTimer
            | NicNative::Trace
            | NicNative::Immediate
            | NicNative::SetImmediate
            | NicNative::Watch
            | NicNative::WindowWrite => false,
        };
        Native {
            name: native.decl().name.to_owned(),
            result: result(*native, shape),
            // On the operand stack, the destination array is below three numbers.
            array_below_top: waits.then_some(3),
            time_ps: Box::new(move |length| {
                let transfer = waits.then(|| {
                    // A transfer longer than the buffer area traps.
                    let length = length.min(area);
                    dma.duration(DmaDirection::HostToNic, length).as_ps()
                });
                time.saturating_add(transfer.unwrap_or(0))
            }),
        }
    });
    natives.collect()
}

fn result(native: NicNative, shape: DetachedShape) -> RangeInclusive<i32> {
    match native {
        NicNative::GetFreeBufferLength => 0..=shape.free_buffer_length.cast_signed(),
        // `getFreeBuffer` returns an offset in the buffer area, or -1.
        NicNative::GetFreeBuffer => -1..=shape.buffer_area.cast_signed(),
        // The natives below return an array, or nothing.
        NicNative::NewAlignedArray
        | NicNative::DoHtoLDma
        | NicNative::DoLtoHDma
        | NicNative::TxPush
        | NicNative::DmaRxd
        | NicNative::DmaRxdPayload
        | NicNative::SetTimer
        | NicNative::Trace
        | NicNative::CurrentTime
        | NicNative::Immediate
        | NicNative::SetImmediate
        | NicNative::Watch
        | NicNative::WindowWrite => i32::MIN..=i32::MAX,
    }
}
