//! Profiles: the cost model of a NIC and its host, in time and memory, read from a TOML file.
//!
//! A profile's file gives a cost as a time or as processor cycles. Times and cycles are converted once, to picoseconds.

use std::collections::BTreeMap;

use jive_embed::plain_text;
pub use nic_core::cost_class::CostClass;
use nic_core::emp::HEADER_BYTES;
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
    DmaEngines, Events, Flow, Locks, Place, PortOrder, ReadPointer, Takes, WithWire,
};
use error::LEAST_TIMEOUT;
pub use error::ProfileError;
pub use framing::{Framing, reserve};
use keys::WrittenProfile;
pub use keys::{
    BaseCosts, ClanCosts, DmaProfile, EmpCosts, EntryCosts, HostProfile, KEYS, KernelCosts,
    MemoryProfile, NativeCosts, NativeFuel, NicProfile, OPTIONAL, PortProfile, ProcessorProfile,
    Profile, Quota, SemaphoreProfile, ViaCosts, WireProfile,
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
        self.check_rows().is_ok() && self.check_sharing().is_ok() && self.check_place().is_ok()
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
mod tests {
    use super::*;

    fn lanai() -> &'static str {
        BUILTIN[0].1
    }

    #[test]
    fn every_builtin_parses_and_bears_its_name() {
        for name in Profile::builtin_names() {
            let purpose = Profile::builtin_purpose(name);
            assert!(
                purpose.is_some_and(|purpose| purpose.ends_with('.')),
                "{name}: its file begins with no sentence"
            );
            assert_eq!(
                Profile::builtin(name)
                    .map(|profile| profile.name)
                    .as_deref(),
                Some(name)
            );
        }
        assert_eq!(Profile::builtin("lanai-1999"), None);
    }

    /// Each step of the StrongARM takes the LANai's cycles, and everything else is the LANai's.
    #[test]
    fn the_strongarm_needs_the_lanais_cycles() {
        let entries = |name: &str| Profile::builtin(name).unwrap().entries();
        let pairs = entries("lanai-1998-split")
            .into_iter()
            .zip(entries("strongarm-1998"));
        for (lanai, strongarm) in pairs {
            let path = lanai.key.path();
            assert_eq!(path, strongarm.key.path());
            match path.as_str() {
                "processor.clock" | "processor.compiled" => continue,
                // The fuel of a native bounds its time, as the next test says.
                path if path.starts_with("native_fuel.") => continue,
                _ if lanai.key.form == "time or cycles" => {
                    let ps = |entry: &Entry| {
                        let time = crate::units::parse_duration(&entry.value);
                        u128::from(time.unwrap().as_ps())
                    };
                    assert_eq!(ps(&lanai) * 37, ps(&strongarm) * 200, "{path}");
                }
                _ => assert_eq!(lanai.value, strongarm.value, "{path}"),
            }
            assert_eq!(lanai.source, strongarm.source, "{path}");
        }
    }

    #[test]
    fn fuel_of_the_strongarm_bounds_the_time_of_natives() {
        let strongarm = Profile::builtin("strongarm-1998").unwrap();
        let (fuel, rows) = (strongarm.native_fuel.unwrap(), strongarm.native.unwrap());
        let each = strongarm.processor.instruction();
        for &class in CostClass::ALL {
            let (fuel, row) = (fuel.of(class), rows.of(class));
            assert!(each.times(fuel) <= row, "{class:?}: {fuel}");
            assert!(each.times(fuel + 1) >= row, "{class:?}: {fuel}");
        }
    }

    #[test]
    fn a_compiled_instruction_takes_its_part_and_the_rows_lose_the_rest() {
        let split = Profile::builtin("lanai-1998-split").unwrap();
        let mut compiled = split.clone();
        compiled.processor.compiled = 5_000;
        assert_eq!(
            compiled.processor.instruction(),
            SimDuration::from_ps(25_200)
        );
        // A native's row includes its call and arguments, which take less; the native itself takes as long.
        let class = CostClass::DmaSetup;
        assert_eq!(compiled.native_cost(class), split.native_cost(class));
    }

    const LOCKS: &str = include_str!("../../profiles/tigon2-2002-locks.toml");

    fn refused(text: &str) -> String {
        assert_ne!(text, LOCKS);
        Profile::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_semaphore_is_a_section_or_a_value_of_the_processor() {
        let expected = Profile::parse(LOCKS).unwrap();
        let start = LOCKS.find("[semaphore]").unwrap();
        let end = start + LOCKS[start..].find("\n\n").unwrap();
        let without = LOCKS.replace(&LOCKS[start..end], "");
        assert_eq!(Profile::parse(&without).unwrap().semaphore, None);
        let value = "[processor]\nsemaphore = { take = \"12 cycles\", spin = \"8 cycles\", release = \"6 cycles\", \
            held = 0.5 }\n";
        let inside = without.replace("[processor]\n", value);
        assert_eq!(Profile::parse(&inside).unwrap(), expected);
        assert_eq!(
            refused(&LOCKS.replace("[processor]\n", value)),
            "`processor.semaphore` is the section `[semaphore]`: write one of them"
        );
    }

    #[test]
    fn costs_of_sharing_that_make_no_sense_are_refused() {
        assert_eq!(
            refused(&LOCKS.replace("spin = \"8 cycles\"", "spin = \"0us\"")),
            "`semaphore.spin` is 0: write the time between two reads of a processor's register"
        );
        assert_eq!(
            refused(&LOCKS.replace("local = \"10 cycles\"", "local = \"88 cycles\"")),
            "`processor.local` is 1.000 us, and `processor.shared` 0.454 us: write a scratchpad that is as fast or faster"
        );
        assert_eq!(
            refused(&LOCKS.replace("shared = \"40 cycles\"", "shared = \"2.2us\"")),
            "the stage `receive-bookkeeping` touches 2 records, which take `processor.shared` each: longer than the stage"
        );
        assert!(refused(&LOCKS.replace("\"one\"", "\"two\"")).contains("\"per-object\""));
    }

    #[test]
    fn figure_5_adds_up() {
        let profile = Profile::builtin("lanai-1998").unwrap();
        let (entry, native) = (profile.entry.unwrap(), profile.native.unwrap());
        let transmit = entry.tx_setup + entry.tx_call + native.dma_setup + native.transmit;
        assert_eq!(transmit, SimDuration::from_ns(24_500));
        let small = entry.rx_setup + entry.rx_call + native.descriptor_inline;
        assert_eq!(small, SimDuration::from_ns(16_700));
        let large = entry.rx_setup
            + entry.rx_call
            + native.free_buffer
            + native.dma_setup
            + native.descriptor_buffers;
        assert_eq!(large, SimDuration::from_ns(42_450));
    }

    #[test]
    fn cycles_are_another_way_to_write_a_time() {
        let text = lanai().replace("5.5us", "203.5 cycles");
        assert_ne!(text, lanai());
        assert_eq!(Profile::parse(&text), Profile::parse(lanai()));
    }

    #[test]
    fn rows_are_net_of_the_instructions_that_they_hold() {
        let text = lanai().replace("bytecode = \"0us\"", "bytecode = \"0.65us\"");
        let profile = Profile::parse(&text).unwrap();
        let net = |class| profile.native_cost(class).unwrap().as_ns();
        // The native `transmit` costs 8.1 us, which include five instructions of 0.65 us: four pushes and the call.
        assert_eq!(net(CostClass::Transmit), 4_850);
        assert_eq!(net(CostClass::FreeBuffer), 5_200);
        assert_eq!(net(CostClass::DescriptorInline), 10_300);
        assert_eq!(
            profile.call_cost(profile.entry.unwrap().tx_call).as_ns(),
            2_600
        );
        let text = lanai().replace("bytecode = \"0us\"", "bytecode = \"1.7us\"");
        assert_eq!(
            Profile::parse(&text).unwrap_err().to_string(),
            "the row `transmit` holds 5 instructions, which take 8.500 us: longer than the row"
        );
    }

    #[test]
    fn what_the_wire_carries_fits_what_the_nic_makes() {
        let with = |wire: &str, turns: &str| {
            let text = lanai().replace("[wire]\n", &format!("[wire]\n{wire}\n"));
            let text = text.replace("with_wire = { value = \"in-turn\"", turns);
            assert_ne!(text, lanai());
            Profile::parse(&text).map_err(|error| error.to_string())
        };
        let parallel = "with_wire = { value = \"parallel\"";
        assert!(with("mtu = '9216B'\ncell = '9216B'", parallel).is_ok());
        assert_eq!(
            with("mtu = '1500B'", parallel).unwrap_err(),
            "`memory.max_packet` is 9216 bytes, and `wire.mtu` lets 1500 pass: make one fit the other"
        );
        assert_eq!(
            with("mtu = '9500B'\ncell = '9501B'", parallel).unwrap_err(),
            "`wire.cell` is 9501 bytes, and a packet has 9500 at most: write a shorter cell, or 0 for none"
        );
        // The buffer holds two packets of 9,216 bytes, and the bytes that 160 MB/s carry in a microsecond.
        assert_eq!(
            with("flow = 'stop'\nbuffer = '18591B'", parallel).unwrap_err(),
            "with `wire.flow = \"stop\"` `wire.buffer` holds at least 18592 bytes: two frames, and what the wire carries \
             there and back"
        );
        assert!(with("flow = 'stop'\nbuffer = '18592B'", parallel).is_ok());
        assert_eq!(
            with("flow = 'drop'\nbuffer = '32KiB'", parallel).unwrap_err(),
            "`wire.buffer` is for `wire.flow = \"stop\"`"
        );
        assert_eq!(
            with("flow = 'stop'\nbuffer = '32KiB'\ncell = '64B'", parallel).unwrap_err(),
            "`wire.cell` and `wire.flow = \"stop\"` exclude each other"
        );
        assert_eq!(
            with("cell = '64B'", "with_wire = { value = \"in-turn\"").unwrap_err(),
            "with `wire.cell` a packet is on the wire while the rest of it is moved, and \
             `dma.with_wire = \"in-turn\"` forbids that: write \"parallel\", or no cell"
        );
    }

    #[test]
    fn a_nic_in_host_software_needs_a_kernel_and_no_hardware() {
        let on_host = |rest: &str| {
            let text = lanai().replace("[base]", "place = 'host'\n\n[base]");
            Profile::parse(&(text + rest)).map_err(|error| error.to_string())
        };
        assert_eq!(
            on_host("").unwrap_err(),
            "with `processor.place = \"host\"` the NIC works in the host's kernel: add a section `[kernel]` with `call`, \
             `interrupt` and `copy`, or write `place = \"nic\"`"
        );
        let kernel = "\n[kernel]\ncall = '5us'\ninterrupt = '100 cycles'\ncopy = '100MB/s'\n";
        let profile = on_host(kernel).unwrap();
        assert!(profile.is_on_host() && !profile.sends_in_turn());
        assert!(
            on_host(&kernel.replace("copy", "copies"))
                .unwrap_err()
                .contains("line ")
        );
        let clan = "\n[clan]\nburst = '64B'\nburst_rate = '1GB/s'\npio_rate = '1GB/s'\n";
        assert_eq!(
            on_host(&(kernel.to_owned() + clan)).unwrap_err(),
            "`[clan]` describes a NIC that writes to remote memory without a processor, and `processor.place = \"host\"` \
             leaves all work to the host's: remove one of them"
        );
        let mut cells = profile.clone();
        cells.wire.cell = 64;
        assert_eq!(cells.check_place(), Err(ProfileError::CellsOnHost));
        // A profile without the costs of a kernel cannot be moved to the host.
        let lanai = Profile::parse(lanai()).unwrap();
        let is_place = |moved: &Moved| moved.key.path() == "processor.place";
        assert!(!lanai.alternatives().iter().any(is_place));
        assert!(profile.alternatives().iter().any(is_place));
        let text = self::lanai().replace("[base]", "place = 'kernel'\n\n[base]");
        let error = Profile::parse(&text).unwrap_err().to_string();
        assert!(error.contains("expected \"nic\" or \"host\""), "{error}");
    }

    #[test]
    fn sections_of_what_a_nic_does_not_run_may_be_absent() {
        let without = |sections: &[&str]| {
            let mut document: toml::Table = toml::from_str(lanai()).unwrap();
            for section in sections {
                let is_removed = document.remove(*section).is_some();
                // A LANai is no host software, has one processor and no remote memory and runs no EMP, and its packets
                // leave in the order in which they were handed over, so its profile lacks these sections.
                let is_absent =
                    ["kernel", "emp", "via", "clan", "port", "semaphore"].contains(section);
                assert_eq!(is_removed, !is_absent, "{section}");
            }
            Profile::parse(&document.to_string())
        };
        let bare = without(OPTIONAL).unwrap();
        assert_eq!(bare.lacks(&["dma", "entry"]), Some("entry"));
        assert_eq!(bare.lacks(&["dma", "wire"]), None);
        // The values of the sections that are present keep their sources.
        let whole = Profile::builtin("lanai-1998").unwrap();
        let entries = |profile: &Profile| -> Vec<_> {
            let entries = profile.entries();
            let kept = entries
                .iter()
                .filter(|entry| !OPTIONAL.contains(&entry.key.section));
            kept.map(|entry| (entry.key.path(), entry.value.clone(), entry.source))
                .collect()
        };
        assert_eq!(entries(&bare), entries(&whole));
        assert_eq!(bare.entries().len(), entries(&bare).len());
        let moved = bare.moves();
        assert!(
            moved
                .iter()
                .all(|moved| !OPTIONAL.contains(&moved.key.section))
        );
        for section in ["processor", "dma", "wire", "memory", "host"] {
            let error = without(&[section]).unwrap_err().to_string();
            assert!(
                error.contains(&format!("missing field `{section}`")),
                "{error}"
            );
        }
    }

    #[test]
    fn each_value_is_moved_alone_and_says_where_it_comes_from() {
        let profile = Profile::builtin("lanai-1998").unwrap();
        let moves = profile.moves();
        let of = |path: &str| -> Vec<(String, String)> {
            let moves = moves.iter().filter(|moved| moved.key.path() == path);
            moves
                .map(|moved| (moved.value.clone(), moved.source.to_string()))
                .collect()
        };
        let pair = |value: &str, source: &str| (value.to_owned(), source.to_owned());
        assert_eq!(
            of("base.receive"),
            [
                pair("20.58us", "fitted S1-45b"),
                pair("18.62us", "fitted S1-45b")
            ]
        );
        assert_eq!(of("dma.engines"), [pair("2", "paper S1-36")]);
        assert_eq!(
            of("memory.send_slots"),
            [pair("3", "chosen"), pair("1", "chosen")]
        );
        for moved in &moves {
            let (own, others) = (profile.entries(), moved.profile.entries());
            let differ = own
                .iter()
                .zip(&others)
                .filter(|(own, other)| own.value != other.value);
            let differ: Vec<String> = differ.map(|(own, _)| own.key.path()).collect();
            assert_eq!(differ, [moved.key.path()]);
        }
    }

    #[test]
    fn a_slice_is_at_most_an_eighth_of_each_time_out() {
        let with = |profile: usize, from: &str, to: &str| {
            let text = BUILTIN[profile].1.replacen(from, to, 1);
            assert_ne!(text, BUILTIN[profile].1);
            Profile::parse(&text).map_err(|error| error.to_string())
        };
        let tigon2 = BUILTIN
            .iter()
            .position(|(name, _)| *name == "tigon2-2002")
            .unwrap();
        let longest = with(0, "2.5ms", "2.501ms").unwrap_err();
        assert_eq!(
            longest,
            "`nic.slice` is 2501.000 us: write more than 0 and at most 2500.000 us, an eighth of the shortest \
             time-out, 20000.000 us"
        );
        assert!(with(0, "2.5ms", "0us").is_err());
        assert!(with(0, "2.5ms", "1ns").is_ok());
        assert!(with(tigon2, "\"625us\"", "\"626us\"").is_err());
        assert!(with(tigon2, "timeout = \"5ms\"", "timeout = \"4.999ms\"").is_err());
        assert!(with(tigon2, "timeout = \"5ms\"", "timeout = \"1s\"").is_ok());
    }

    #[test]
    fn mistakes_are_shown_with_their_line() {
        let cases = [
            (
                "\"3.9us\"",
                "\"3.9\"",
                "expected a unit out of ns, us, ms, s",
            ),
            ("tx_call = ", "tx_cal = ", "unknown field `tx_cal`"),
            ("value = 1,", "value = 3,", "expected 1 (shared) or 2"),
            (
                "send_slots = 2",
                "send_slots = 0",
                "expected a whole number, 1 to 65536, found 0",
            ),
            ("\"37MHz\"", "\"0Hz\"", "expected more than 0 Hz"),
            (
                "send_slots = 2",
                "send_slots = '2'",
                "expected a whole number, 1 to 65536, found \"2\"",
            ),
            (
                "send_slots = 2",
                "send_slots = 1.5",
                "expected a whole number, 1 to 65536, found 1.5",
            ),
            (
                "max_packet = \"9216B\"",
                "max_packet = \"x\"",
                "expected a number with its unit, as in \"4KiB\", found \"x\"",
            ),
            (
                "max_packet = \"9216B\"",
                "max_packet = 9216",
                "expected a number with its unit, in quotes, as in \"4KiB\", found 9216",
            ),
            (
                "[wire]",
                "[placement.RO]\nsend-ack = 0.5\n[wire]",
                "invalid type: floating point `0.5`, expected the number of a processor, from 0 on",
            ),
            (
                "[wire]",
                "[placement.RO]\nsend-ack = -1\n[wire]",
                "invalid value: integer `-1`, expected the number of a processor, from 0 on",
            ),
            (
                "send_slots = 2",
                "send_slots = true",
                "invalid type: boolean `true`, expected 1 to 65536, alone or as { value = …, from = … }",
            ),
            (
                "paper S1-37",
                "paper S1-99",
                "`from` names `S1-99`, which is no statement of docs/papers.md",
            ),
            (
                "paper S1-37",
                "measured",
                "`from` is `measured`: write `paper` or `fitted` and a statement",
            ),
            (
                "value = \"3.9us\", from",
                "value = \"3.9us\", form",
                "unknown field `form`, expected `value` or `from`",
            ),
            (
                "{ value = \"3.9us\", from",
                "{ from",
                "missing field `value`",
            ),
        ];
        for (right, wrong, expected) in cases {
            let text = lanai().replacen(right, wrong, 1);
            assert_ne!(text, lanai(), "{wrong}");
            let shown = Profile::parse(&text).unwrap_err().to_string();
            assert!(
                shown.contains(expected) && shown.contains("line "),
                "{shown}"
            );
        }
    }
}
