//! Tracks of the timeline: assigns process and thread ids to NICs and their parts.

use std::collections::BTreeMap;
use std::io::Write;

use nic_core::event::{DmaDirection, Names};
use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimTime;
use serde::Serialize;

use super::writer::{Id, Phase, Place, Records};

/// Number of thread ids reserved for all tracks of one rank; no scenario needs more. Viewers sort threads by id and
/// ignore `thread_sort_index`. Perfetto treats a thread whose id equals its process's as the main thread. Processes
/// therefore count from 1, and threads from 1,000,000.
const IDS_OF_A_RANK: Id = 1_000_000;

/// A track of a NIC in the timeline. Viewers show the tracks of a NIC in the order of the variants of `Track`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Track {
    /// Actions of an endpoint's user.
    Host(EndpointId),
    /// Whether an endpoint's applet is attached. The track is shown only after the applet's first detachment.
    Applet(EndpointId),
    /// Calls of applets on a processor.
    Processor(u32),
    /// Work of a processor.
    Work(u32),
    /// DMA from the host to the NIC.
    DmaIn,
    /// DMA from the NIC to the host.
    DmaOut,
    /// The wire from this NIC to a NIC, which may be the same NIC.
    WireTo(NicId),
    /// Arriving packets.
    WireIn,
}

impl Track {
    pub(super) fn of_dma(direction: DmaDirection) -> Track {
        match direction {
            DmaDirection::HostToNic => Track::DmaIn,
            DmaDirection::NicToHost => Track::DmaOut,
        }
    }

    fn name(self, names: &dyn Names) -> String {
        let dma = |direction| format!("DMA {}", DmaDirection::word(direction));
        match self {
            Track::Host(endpoint) => format!("host {}", names.endpoint(endpoint)),
            Track::Applet(endpoint) => format!("applet of {}", names.endpoint(endpoint)),
            Track::Processor(0) => "processor".to_owned(),
            Track::Processor(number) => format!("processor {number}"),
            Track::Work(0) => "work".to_owned(),
            Track::Work(number) => format!("work of processor {number}"),
            Track::DmaIn => dma(DmaDirection::HostToNic),
            Track::DmaOut => dma(DmaDirection::NicToHost),
            Track::WireTo(nic) => format!("wire to {}", names.nic(nic)),
            Track::WireIn => "wire in".to_owned(),
        }
    }

    /// Returns the rank of the track, which orders the tracks of its NIC. Tracks of equal rank are sorted by id.
    fn rank(self) -> u32 {
        match self {
            Track::Host(_) => 0,
            Track::Applet(_) => 1,
            Track::Processor(_) => 2,
            Track::Work(_) => 3,
            Track::DmaIn => 4,
            Track::DmaOut => 5,
            Track::WireTo(_) => 6,
            Track::WireIn => 7,
        }
    }
}

/// The tracks that the timeline has used so far.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    threads: BTreeMap<(NicId, Track), Id>,
    named: BTreeMap<NicId, Id>,
}

#[derive(Serialize)]
struct Name<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct Rank {
    sort_index: u32,
}

impl Tracks {
    /// Returns the process id and the thread id of a track. Writes the track's name when the track is first used.
    pub(super) fn place<W: Write>(
        &mut self,
        records: &mut Records<W>,
        names: &dyn Names,
        (nic, track): (NicId, Track),
    ) -> Place {
        let process = self.process(records, names, nic);
        let before = u32::try_from(self.threads.len()).unwrap_or(0);
        let fresh = (1 + track.rank()) * IDS_OF_A_RANK + before;
        let thread = *self.threads.entry((nic, track)).or_insert(fresh);
        let place = Place { process, thread };
        if thread == fresh {
            let name = track.name(names);
            tell(records, place, "thread_name", &Name { name: &name });
            let sort_index = track.rank();
            tell(records, place, "thread_sort_index", &Rank { sort_index });
        }
        place
    }

    /// Returns the process id of a NIC. Writes the NIC's name at the first use of the id.
    fn process<W: Write>(&mut self, records: &mut Records<W>, names: &dyn Names, nic: NicId) -> Id {
        let process = nic.0 + 1;
        if self.named.insert(nic, process).is_none() {
            let place = Place { process, thread: 0 };
            let kind = if names.is_switch(nic) {
                "switch"
            } else {
                "NIC"
            };
            let name = format!("{kind} {}", names.nic(nic));
            tell(records, place, "process_name", &Name { name: &name });
            let sort_index = process;
            tell(records, place, "process_sort_index", &Rank { sort_index });
        }
        process
    }
}

fn tell<W: Write>(records: &mut Records<W>, place: Place, name: &str, args: &impl Serialize) {
    records.write((Phase::Metadata, name), SimTime::ZERO, place, args);
}
