//! Profiles: the cost model of a NIC and its host, in time and memory, read from a TOML file.
//!
//! A profile's file gives a cost as a time or as processor cycles. Times and cycles are converted once, to picoseconds.

use std::collections::BTreeMap;

use jive_embed::plain_text;
pub use nic_core::cost_class::CostClass;
use nic_core::emp::HEADER_BYTES;
use nic_core::lmmc::{self, Sizes};
use nic_core::sle::Need;
use nic_core::time::SimDuration;

use crate::spec::placement::{EmpPlaces, EmpStage};

mod choices;
mod error;
mod framing;
mod keys;
mod kind;
mod offers;
mod receive;
mod sections;
mod source;
mod statements;

pub use choices::{
    DmaEngines, Events, Flow, Locks, Place, PortOrder, ReadPointer, Scheduling, StalledStore,
    Takes, Victim, WithWire,
};
use error::LEAST_TIMEOUT;
pub use error::ProfileError;
pub use framing::{Framing, reserve};
use keys::WrittenProfile;
pub use keys::{
    BaseCosts, ClanCosts, DmaProfile, EmpCosts, EntryCosts, HostProfile, JaviaCosts, KEYS,
    KernelCosts, LmmcCosts, MemoryProfile, NativeCosts, NativeFuel, NicProfile, OPTIONAL,
    PortProfile, ProcessorProfile, Profile, Quota, SemaphoreProfile, ViaCosts, WireProfile,
};
pub use kind::Factor;
pub use offers::{APPLET_SECTIONS, Offers};
pub use receive::Receive;
use sections::Movable;
pub use sections::{Absent, Entry, Key};
pub use source::{Source, Statement};

/// A profile with one value changed.
pub type Moved = sections::Moved<Profile>;

/// The built-in profiles: the name and the text of each.
const BUILTIN: &[(&str, &str)] = &[
    ("lanai-1998", include_str!("../../profiles/lanai-1998.toml")),
    (
        "lanai-1998-parallel",
        include_str!("../../profiles/lanai-1998-parallel.toml"),
    ),
    (
        "lanai-1998-split",
        include_str!("../../profiles/lanai-1998-split.toml"),
    ),
    (
        "lanai-1998-dual-dma",
        include_str!("../../profiles/lanai-1998-dual-dma.toml"),
    ),
    (
        "lanai-1998-direct",
        include_str!("../../profiles/lanai-1998-direct.toml"),
    ),
    (
        "strongarm-1998",
        include_str!("../../profiles/strongarm-1998.toml"),
    ),
    ("modern", include_str!("../../profiles/modern.toml")),
    (
        "tigon2-2002",
        include_str!("../../profiles/tigon2-2002.toml"),
    ),
    (
        "tigon2-2002-locks",
        include_str!("../../profiles/tigon2-2002-locks.toml"),
    ),
    (
        "giganet-1999",
        include_str!("../../profiles/giganet-1999.toml"),
    ),
    (
        "giganet-1999-pin",
        include_str!("../../profiles/giganet-1999-pin.toml"),
    ),
    ("clan-2001", include_str!("../../profiles/clan-2001.toml")),
    (
        "clan-programmable",
        include_str!("../../profiles/clan-programmable.toml"),
    ),
    (
        "unet-host-1998",
        include_str!("../../profiles/unet-host-1998.toml"),
    ),
    ("mvia-2001", include_str!("../../profiles/mvia-2001.toml")),
    ("lmmc-1997", include_str!("../../profiles/lmmc-1997.toml")),
    ("common", include_str!("../../profiles/common.toml")),
];

/// What stands behind the name of a built-in profile whose NICs have one port each.
pub const SWITCHED: &str = "-switched";

/// How long a reliable VI waits for an acknowledgement before it assumes that its oldest packet is lost. A VI over
/// remote memory that writes nothing for this time makes its NIC send the peer the number of its writes. The time was
/// not measured. It was chosen to be long compared with a round trip through busy NICs, and short compared with a run.
pub(crate) const VI_TIMEOUT: SimDuration = SimDuration::from_ns(20_000_000);

/// The part of the shortest time-out that a slice may be. A message and its acknowledgement wait for calls on two NICs,
/// at most twice on each, and for other work besides.
const SLICES_IN_TIMEOUT: u64 = 8;

/// Number of instructions that the profile's cost of an entry's call includes: the return, and the push of its value.
const RETURN_INSTRUCTIONS: u64 = 2;

impl Profile {
    /// Returns the names of the built-in profiles.
    pub fn builtin_names() -> impl Iterator<Item = &'static str> {
        BUILTIN.iter().map(|&(name, _)| name)
    }

    /// Returns the sentences with which the file of a built-in profile begins: the first comment, which says what NIC the
    /// profile describes.
    #[must_use]
    pub fn builtin_purpose(name: &str) -> Option<String> {
        let (_, text) = BUILTIN.iter().find(|(builtin, _)| *builtin == name)?;
        let first = text.lines().map_while(|line| line.strip_prefix("# "));
        Some(first.collect::<Vec<_>>().join(" "))
    }

    /// Returns the built-in profile with this name. The name of a built-in profile with [`SWITCHED`] behind it is its
    /// [second form](Profile::switched).
    #[must_use]
    pub fn builtin(name: &str) -> Option<Profile> {
        if let Some(of_pairs) = name.strip_suffix(SWITCHED) {
            return Profile::builtin(of_pairs).map(Profile::switched);
        }
        let (_, text) = BUILTIN.iter().find(|(builtin, _)| *builtin == name)?;
        Some(Profile::parse(text).expect("a test parses every builtin profile"))
    }

    /// Returns this profile with one port for each NIC, whose packets share the port's link. The wire has no cells,
    /// because switches send whole packets on.
    #[must_use]
    pub fn switched(mut self) -> Profile {
        self.name.push_str(SWITCHED);
        self.wire.ports = 1;
        self.wire.cell = 0;
        self
    }

    /// Returns this profile with processors that do not slow each other down.
    #[must_use]
    pub fn without_contention(&self) -> Profile {
        let mut alone = self.clone();
        alone.processor.contention = kind::ONE;
        alone
    }

    /// Returns this profile with another use of its semaphores, if it has any.
    #[must_use]
    pub fn with_locks(&self, locks: Locks) -> Profile {
        let mut changed = self.clone();
        if let Some(semaphore) = &mut changed.semaphore {
            semaphore.locks = locks;
        }
        changed
    }

    /// Returns this profile with a processor on which compiled applets are as much faster than interpreted ones as under
    /// another profile.
    #[must_use]
    pub fn compiled_as(&self, other: &Profile) -> Profile {
        let mut compiled = self.clone();
        compiled.processor.compiled = other.processor.compiled;
        compiled
    }

    /// Returns this profile with a processor that interprets applets.
    #[must_use]
    pub fn interpreted(&self) -> Profile {
        let mut interpreted = self.clone();
        interpreted.processor.compiled = kind::ONE;
        interpreted
    }

    /// Reads a profile from TOML text.
    ///
    /// # Errors
    ///
    /// Returns a [`ProfileError`] that says what is missing, unknown or out of range, and on which line.
    pub fn parse(text: &str) -> Result<Profile, ProfileError> {
        // Parsing calls two functions, whose stack frames are never in use at the same time, because the caller's stack
        // may be small.
        Profile::written(text).and_then(|written| Profile::resolved(*written))
    }

    #[inline(never)]
    fn written(text: &str) -> Result<Box<WrittenProfile>, ProfileError> {
        if plain_text::has_another_mark(text) {
            let another = serde::de::Error::custom(plain_text::ANOTHER_MARK);
            return Err(ProfileError::Toml(another));
        }
        toml::from_str(text).map_err(ProfileError::Toml)
    }

    #[inline(never)]
    fn resolved(mut written: WrittenProfile) -> Result<Profile, ProfileError> {
        let placements = placements(std::mem::take(&mut written.placement))?;
        if let Some(semaphore) = written.processor.semaphore.take()
            && written.semaphore.replace(semaphore).is_some()
        {
            return Err(ProfileError::TwoSemaphores);
        }
        let mut profile = written.resolve().map_err(ProfileError::Cycles)?;
        profile.placements = placements;
        profile.check_rows()?;
        profile.check_wire()?;
        profile.check_emp()?;
        profile.check_slice()?;
        profile.check_sharing()?;
        profile.check_place()?;
        profile.check_reception()?;
        profile.check_lmmc()?;
        Ok(profile)
    }

    /// Returns the cost of a native, less the time of the instructions that the profile's cost includes.
    #[must_use]
    pub fn native_cost(&self, class: CostClass) -> Option<SimDuration> {
        let row = self.native?.of(class);
        Some(self.net(row, class.instructions()))
    }

    /// Returns the cost of an entry's call, less the time of the instructions that the profile's cost includes.
    #[must_use]
    pub fn call_cost(&self, row: SimDuration) -> SimDuration {
        self.net(row, RETURN_INSTRUCTIONS)
    }

    // The row was measured with an interpreter, so it includes instructions at their interpreted time.
    fn net(&self, row: SimDuration, instructions: u64) -> SimDuration {
        row.less(self.processor.bytecode.times(instructions))
    }

    /// Returns whether the NIC's wires and its DMA exclude each other (`dma.with_wire = "in-turn"`).
    #[must_use]
    pub fn sends_in_turn(&self) -> bool {
        self.dma.with_wire == WithWire::InTurn && !self.is_on_host()
    }

    /// Returns whether the NIC's loops run on the processors of the host (`processor.place = "host"`).
    #[must_use]
    pub fn is_on_host(&self) -> bool {
        self.processor.place == Place::Host
    }

    /// Returns what the kernel of the host costs, if the NIC's loops run there.
    #[must_use]
    pub fn kernel_costs(&self) -> Option<KernelCosts> {
        self.kernel.filter(|_| self.is_on_host())
    }

    fn check_rows(&self) -> Result<(), ProfileError> {
        let natives = self.native.iter().flat_map(|native| {
            let of = |&class: &CostClass| (class.key(), native.of(class), class.instructions());
            CostClass::ALL.iter().map(of)
        });
        let calls = self.entry.iter().flat_map(|entry| {
            [
                ("tx_call", entry.tx_call, RETURN_INSTRUCTIONS),
                ("rx_call", entry.rx_call, RETURN_INSTRUCTIONS),
                ("timer_call", entry.timer_call, RETURN_INSTRUCTIONS),
                ("refill_call", entry.refill_call, RETURN_INSTRUCTIONS),
                ("watch_call", entry.watch_call, RETURN_INSTRUCTIONS),
            ]
        });
        for (row, cost, instructions) in natives.chain(calls) {
            let takes = self.processor.bytecode.times(instructions);
            if takes > cost {
                return Err(ProfileError::InstructionsExceedRow {
                    row,
                    instructions,
                    takes,
                });
            }
        }
        Ok(())
    }
}

impl Movable for Profile {
    fn is_valid(&self) -> bool {
        self.check_rows().is_ok()
            && self.check_sharing().is_ok()
            && self.check_place().is_ok()
            && self.check_lmmc().is_ok()
    }
}

impl Profile {
    /// Checks that the wire's limits fit the NIC's packets.
    fn check_wire(&self) -> Result<(), ProfileError> {
        let (packet, WireProfile { mtu, cell, .. }) = (self.memory.max_packet.get(), &self.wire);
        let longest = if *mtu == 0 { packet } else { *mtu };
        if packet > longest {
            return Err(ProfileError::PacketsExceedMtu { packet, mtu: *mtu });
        }
        if *cell > longest {
            return Err(ProfileError::CellExceedsPacket {
                cell: *cell,
                longest,
            });
        }
        let least = self.wire.reserve(longest);
        match self.wire.flow {
            Flow::Stop if u64::from(self.wire.buffer) < least => {
                return Err(ProfileError::SmallBuffer { least });
            }
            Flow::Stop if *cell > 0 => return Err(ProfileError::CellsStop),
            Flow::Hold | Flow::Drop if self.wire.buffer > 0 => {
                return Err(ProfileError::IdleBuffer);
            }
            Flow::Stop | Flow::Hold | Flow::Drop => {}
        }
        if *cell > 0 && self.sends_in_turn() {
            return Err(ProfileError::CellsInTurn);
        }
        Ok(())
    }
}

impl Profile {
    /// Checks the costs of EMP against the NIC's memory.
    fn check_emp(&self) -> Result<(), ProfileError> {
        let Some(emp) = &self.emp else {
            return Ok(());
        };
        let (payload, slot) = (emp.payload.get(), self.memory.max_packet.get());
        if payload.saturating_add(HEADER_BYTES as u32) > slot {
            return Err(ProfileError::FrameExceedsSlot { payload, slot });
        }
        if emp.timeout < LEAST_TIMEOUT {
            let timeout = emp.timeout;
            return Err(ProfileError::ShortTimeout { timeout });
        }
        Ok(())
    }

    /// Checks that processors that wait for a semaphore take their time, and that a scratchpad saves no more than the
    /// stages of EMP take.
    fn check_sharing(&self) -> Result<(), ProfileError> {
        let ProcessorProfile { shared, local, .. } = self.processor;
        if local > shared {
            return Err(ProfileError::SlowScratchpad { local, shared });
        }
        if let Some(semaphore) = self.semaphore
            && semaphore.spin == SimDuration::ZERO
        {
            return Err(ProfileError::NoSpin);
        }
        let Some(emp) = &self.emp else {
            return Ok(());
        };
        for stage in EmpStage::ALL {
            let (records, cost) = (stage.touches().len() as u64, emp.least_of(stage));
            if shared.times(records) > cost {
                let stage = stage.name();
                return Err(ProfileError::RecordsExceedStage { stage, records });
            }
        }
        Ok(())
    }

    /// Checks that calls yield early enough for each connection.
    fn check_slice(&self) -> Result<(), ProfileError> {
        let Some(NicProfile { slice, .. }) = self.nic else {
            return Ok(());
        };
        let timeout = self.shortest_timeout();
        if slice == SimDuration::ZERO || slice.times(SLICES_IN_TIMEOUT) > timeout {
            let most = SimDuration::from_ps(timeout.as_ps() / SLICES_IN_TIMEOUT);
            return Err(ProfileError::Slice {
                slice,
                most,
                timeout,
            });
        }
        Ok(())
    }

    /// Checks that a NIC in host software has the costs of the host's kernel, and nothing that only hardware does.
    fn check_place(&self) -> Result<(), ProfileError> {
        if !self.is_on_host() {
            return Ok(());
        }
        if self.kernel.is_none() {
            return Err(ProfileError::NoKernel);
        }
        if self.clan.is_some() {
            return Err(ProfileError::ClanOnHost);
        }
        match self.wire.cell {
            0 => Ok(()),
            _ => Err(ProfileError::CellsOnHost),
        }
    }

    /// Checks what the NIC offers to applets, and where it receives.
    fn check_reception(&self) -> Result<(), ProfileError> {
        if self.offers().has(Need::Windows) && self.clan.is_none() {
            return Err(ProfileError::WindowsWithoutClan);
        }
        let (header, longest) = (
            self.nic.map_or(0, |nic| nic.header),
            self.memory.max_packet.get(),
        );
        match self.receive {
            Receive::Direct if self.clan.is_some() => Err(ProfileError::DirectWindows),
            Receive::Direct if self.is_on_host() => Err(ProfileError::DirectOnHost),
            Receive::Staged if header > 0 => Err(ProfileError::IdleHeader),
            Receive::Direct if header == 0 => Err(ProfileError::NoHeader),
            Receive::Direct if header > longest => {
                Err(ProfileError::LongHeader { header, longest })
            }
            Receive::Staged | Receive::Direct => Ok(()),
        }
    }

    /// Checks the pages of LMMC against the NIC's packets and wires.
    fn check_lmmc(&self) -> Result<(), ProfileError> {
        let Some(LmmcCosts { page, .. }) = self.lmmc else {
            return Ok(());
        };
        if !page.is_power_of_two() {
            return Err(ProfileError::LmmcPage { found: page });
        }
        let (header, packet) = (lmmc::HEADER_BYTES as u32, self.memory.max_packet.get());
        if page.saturating_add(header) > packet {
            return Err(ProfileError::PageExceedsPacket {
                page,
                header,
                packet,
            });
        }
        if self.wire.flow != Flow::Stop {
            return Err(ProfileError::LmmcFlow);
        }
        if self.is_on_host() {
            return Err(ProfileError::LmmcOnHost);
        }
        match self.receive {
            Receive::Direct => Err(ProfileError::DirectFrames),
            Receive::Staged => Ok(()),
        }
    }

    /// Returns the shortest time after which a NIC with this profile takes a message for lost that was not acknowledged.
    fn shortest_timeout(&self) -> SimDuration {
        let emp = self.emp.map(|emp| emp.timeout);
        emp.map_or(VI_TIMEOUT, |timeout| timeout.min(VI_TIMEOUT))
    }

    /// Returns the placement of the stages of EMP that has this name.
    #[must_use]
    pub fn placement(&self, name: &str) -> Option<EmpPlaces> {
        let mut placements = self.placements.iter();
        placements
            .find(|(known, _)| known == name)
            .map(|&(_, places)| places)
    }
}

/// Reads the placements of a profile, and checks that each names every stage of EMP.
fn placements(
    written: BTreeMap<String, BTreeMap<String, source::Place>>,
) -> Result<Vec<(String, EmpPlaces)>, ProfileError> {
    let read = |(name, stages): (String, BTreeMap<String, source::Place>)| {
        let mut places = EmpPlaces::default();
        let problem = |problem| {
            let name = name.clone();
            ProfileError::Placement { name, problem }
        };
        if let Some(stage) = stages
            .keys()
            .find(|stage| !EmpStage::NAMES.contains(&stage.as_str()))
        {
            let known = EmpStage::NAMES.join(", ");
            return Err(problem(format!(
                "names `{stage}`, which is none of {known}"
            )));
        }
        for stage in EmpStage::ALL {
            let lacks = || problem(format!("lacks `{}`", stage.name()));
            places[stage] = stages.get(stage.name()).ok_or_else(lacks)?.0;
        }
        Ok((name, places))
    };
    written.into_iter().map(read).collect()
}

impl ProcessorProfile {
    /// Returns the time of an instruction: interpreted, or compiled if the profile says how much faster that is.
    #[must_use]
    pub fn instruction(&self) -> SimDuration {
        let (thousandths, factor) = (
            self.bytecode.times(kind::ONE.into()).as_ps(),
            self.compiled.max(1),
        );
        SimDuration::from_ps(thousandths.div_ceil(factor.into()))
    }
}

impl EmpCosts {
    /// Returns the least time of a stage that does something.
    fn least_of(&self, stage: EmpStage) -> SimDuration {
        match stage {
            EmpStage::SendBookkeeping => self.send_bookkeeping.min(self.of_later_frame()),
            EmpStage::Transmission => self.transmission,
            EmpStage::ReceiveAck => self.receive_ack,
            EmpStage::UpdateRecord => self.update_record,
            EmpStage::ReceiveBookkeeping => self.receive_bookkeeping.less(self.small_frame_saves),
            EmpStage::ReceiveFrame => self.receive_frame,
            EmpStage::ReceiveDma => self.receive_dma,
            EmpStage::SendAck => self.send_ack,
        }
    }

    /// Returns the time to prepare a frame that is not the first of its message.
    #[must_use]
    pub fn of_later_frame(&self) -> SimDuration {
        let thousandths = u64::from(self.later_frames);
        SimDuration::from_ps(self.send_bookkeeping.times(thousandths).as_ps() / 1000)
    }
}

impl LmmcCosts {
    /// Returns the sizes of each link's tables.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        Sizes {
            page_bytes: self.page,
            frames: self.frames.get(),
            ports: self.ports.get(),
        }
    }
}

impl NativeCosts {
    /// Returns the cost of a native of this class, as the profile gives it.
    #[must_use]
    pub fn of(&self, class: CostClass) -> SimDuration {
        match class {
            CostClass::NullCall => self.null_call,
            CostClass::FreeBuffer => self.free_buffer,
            CostClass::DmaSetup => self.dma_setup,
            CostClass::Transmit => self.transmit,
            CostClass::DescriptorInline => self.descriptor_inline,
            CostClass::DescriptorBuffers => self.descriptor_buffers,
        }
    }
}

impl NativeFuel {
    /// Returns the highest fuel of all classes of natives.
    #[must_use]
    pub fn max(&self) -> u64 {
        let fuel = CostClass::ALL.iter().map(|&class| self.of(class));
        fuel.max().unwrap_or(0)
    }

    /// Returns the fuel of a native of this class.
    #[must_use]
    pub fn of(&self, class: CostClass) -> u64 {
        match class {
            CostClass::NullCall => self.null_call,
            CostClass::FreeBuffer => self.free_buffer,
            CostClass::DmaSetup => self.dma_setup,
            CostClass::Transmit => self.transmit,
            CostClass::DescriptorInline => self.descriptor_inline,
            CostClass::DescriptorBuffers => self.descriptor_buffers,
        }
    }
}

impl WireProfile {
    /// Returns how many bytes of a stop-and-go buffer are reserved for packets under way, for messages of at most
    /// `longest` bytes.
    #[must_use]
    pub fn reserve(&self, longest: u32) -> u64 {
        let frame = self.framing().frame(longest);
        reserve(frame, self.latency, self.bandwidth.get())
    }

    /// Returns the bytes that the wire carries in addition to a message.
    #[must_use]
    pub fn framing(&self) -> Framing {
        Framing {
            header: self.header,
            min_frame: self.min_frame,
            gap: self.gap,
        }
    }
}

#[cfg(test)]
mod tests;
