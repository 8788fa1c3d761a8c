//! Which process and thread of the timeline belongs to what: a process is a NIC, a thread one of its
//! hosts, engines or wires.

use std::collections::BTreeMap;
use std::io::Write;

use nic_core::event::{DmaDirection, Names};
use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimTime;
use serde::Serialize;

use super::writer::{Id, Phase, Place, Records};

/// Thread ids of one rank of tracks: more than a scenario can have of them. Viewers show threads in the order of their
/// ids, whatever their `thread_sort_index` says. Perfetto takes a thread whose id is its process's for the main one. So
/// processes are numbered from 1, and threads from the first multiple of this.
const IDS_OF_A_RANK: Id = 1_000_000;

/// One line of the timeline, within a NIC. They are shown in this order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Track {
    /// What an endpoint's user does and sees.
    Host(EndpointId),
    /// Whether an endpoint's applet takes what comes: shown once it did not.
    Applet(EndpointId),
    /// The calls of applets on a processor.
    Processor(u32),
    /// What a processor works on.
    Work(u32),
    /// The DMA engine, in the one direction.
    DmaIn,
    /// The DMA engine, in the other.
    DmaOut,
    /// The wire to another NIC, or to the same.
    WireTo(NicId),
    /// What comes in.
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

    /// Returns its place among the tracks of its NIC; equal ranks stand in the order of their ids.
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

/// The tracks that have been used.
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
    /// Returns the place of a track; names it where it is used for the first time.
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

    /// Returns a NIC's process; names it where it is used for the first time.
    fn process<W: Write>(&mut self, records: &mut Records<W>, names: &dyn Names, nic: NicId) -> Id {
        let process = nic.0 + 1;
        if self.named.insert(nic, process).is_none() {
            let place = Place { process, thread: 0 };
            let name = format!("NIC {}", names.nic(nic));
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
