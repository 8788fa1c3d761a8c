//! Capsules: class files that arrive in packets, on the code channel of an endpoint that accepts them.
//!
//! The processor that takes a packet puts the capsule together. A complete class file is verified like any other, and
//! becomes the endpoint's applet by a [swap]. The sender of a capsule gets an answer in a packet: `installed`, or the
//! reason for a refusal.

use crate::ids::ProcessorId;
use bumpalo::Bump;
use jive_embed::load_class;
use jive_verifier::Policy;
use nic_core::event::{SleEvent, SwapRefusal};
use nic_core::id::EndpointId;
use nic_core::sle::capsule::CODE_CHANNEL;
use nic_core::sle::{FragmentHeader, NicEntry, NicNative, Taken};

use super::answers::{answer, answered};
use super::swap;
use crate::engine::Simulation;
use crate::nic::item::Next;
use crate::nic::work::Work;
use crate::wire::PacketRef;

/// Number of instructions that the run's instruction budget is charged for verifying a byte of a capsule. The charge
/// per byte is chosen: verifying a thousand bytes of the slowest class takes about as long as interpreting a million
/// instructions. By the charge for verifying, the budget bounds the time of a run into which somebody sends class after
/// class.
const INSTRUCTIONS_PER_BYTE: u64 = 1_024;

/// Maximum number of bytes of different class files from capsules that a run keeps.
const KEPT_BYTES_MAX: usize = 1 << 26;

/// Returns whether a packet comes on the code channel of an endpoint that accepts capsules.
pub(crate) fn is_one(sim: &Simulation<'_>, packet: PacketRef) -> bool {
    let (to, channel) = sim.packets[packet].to;
    channel == CODE_CHANNEL && sim.specs[to].accepts_capsules
}

/// Takes a packet of the code channel.
#[cold]
pub(crate) fn take(sim: &mut Simulation<'_>, on: ProcessorId, packet: PacketRef) -> Next {
    let (id, endpoint, _, length) = sim.arrival(packet);
    let read = FragmentHeader::read(&sim.packets[packet].bytes);
    let (number, taken) = match read {
        Ok((header, bytes)) => {
            let nic = sim.endpoints[endpoint].nic;
            let now = sim.now;
            let taken = sim
                .swaps
                .take_fragment((endpoint, nic), (header, bytes), now);
            if taken == Taken::More
                && let Some(until) = sim.swaps.waits_until(endpoint)
            {
                sim.schedule.insert(until, Work::LookCapsule(endpoint));
            }
            (Some(header.number), taken)
        }
        Err(not) => (not.number, Taken::Refused(not.reason)),
    };
    let kind = SleEvent::Capsule {
        packet: id,
        fragment: read.ok().map(|(header, _)| header),
        length,
        status: match taken {
            Taken::More => "more",
            Taken::Ignored => "ignored",
            Taken::Again(_) => "again",
            Taken::Whole => "whole",
            Taken::Refused(reason) => reason.word(),
        },
    };
    sim.report.emit(sim.now, endpoint, kind);
    sim.end_arrival(packet);
    match (taken, number) {
        (Taken::Refused(reason), Some(number)) => answer(sim, endpoint, number, reason.word()),
        (Taken::Again(known), Some(number)) => answer(sim, endpoint, number, known),
        (Taken::Whole, Some(number)) => {
            let class = sim.swaps.take_whole(endpoint);
            install(sim, on, (endpoint, number), &class);
        }
        // A packet without a capsule number cannot be answered.
        (_, None) | (Taken::More | Taken::Ignored, Some(_)) => {}
    }
    Next::Look
}

/// Verifies a capsule's class file, and makes the class the applet of its endpoint between two calls.
fn install(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    (endpoint, number): (EndpointId, u32),
    bytes: &[u8],
) {
    let class = match sim.swaps.known(bytes) {
        Some(known) => known,
        None => {
            let work = bytes.len() as u64 * INSTRUCTIONS_PER_BYTE;
            if sim.budget.spend(work).is_err() {
                _ = sim.exceed_budget(on);
                return;
            }
            match verified(sim, bytes) {
                Ok(class) => class,
                Err(reason) => {
                    sim.report.emit_refused(sim.now, endpoint, None, reason);
                    return answered(sim, endpoint, number, reason.word());
                }
            }
        }
    };
    swap::request(sim, endpoint, class, (Some(number), Some(on)));
}

/// Verifies a class file that no earlier capsule contained, and keeps the class if it is accepted.
fn verified(sim: &mut Simulation<'_>, bytes: &[u8]) -> Result<usize, SwapRefusal> {
    let policy = Policy::Applet {
        entries: NicEntry::TABLE,
    };
    // The memory for a rejected class is given back, so that the memory for rejected capsules does not add up.
    let scratch = Bump::new();
    if let Err(error) = load_class(&scratch, bytes, policy, NicNative::TABLE) {
        return Err(SwapRefusal::Rejected(error.code()));
    }
    if !sim.swaps.has_room_for(bytes.len(), KEPT_BYTES_MAX) {
        return Err(SwapRefusal::TooMany);
    }
    let arena = sim.arena;
    let kept = &*arena.alloc_slice_copy(bytes);
    match load_class(arena, kept, policy, NicNative::TABLE) {
        Ok(loaded) => {
            sim.report.add_class(&loaded.class);
            Ok(sim.swaps.add_class(kept, arena.alloc(loaded)))
        }
        Err(error) => Err(SwapRefusal::Rejected(error.code())),
    }
}
