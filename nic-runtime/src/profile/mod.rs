//! The cost model: what a NIC and its host take in time and memory, read from a TOML file.
//!
//! Costs are written as times or as processor cycles and are picoseconds from here on, converted once.

use std::num::{NonZeroU32, NonZeroU64};

pub use nic_core::cost_class::CostClass;
use nic_core::time::SimDuration;
use serde::de::{self, Deserialize, Deserializer};

use crate::fabric::Framing;
use crate::units::UnitError;

mod quantity;

use quantity::{
    WrittenCost, call_depth, call_slots, contention, duration, frequency, no_contention, no_time,
    packet_size, rate, size, slots,
};

/// The profiles that come with the program: name and text.
const BUILTIN: &[(&str, &str)] = &[
    ("lanai-1998", include_str!("../../profiles/lanai-1998.toml")),
    (
        "lanai-1998-split",
        include_str!("../../profiles/lanai-1998-split.toml"),
    ),
    (
        "lanai-1998-dual-dma",
        include_str!("../../profiles/lanai-1998-dual-dma.toml"),
    ),
    ("modern", include_str!("../../profiles/modern.toml")),
];

/// Instructions that the row of a call of an entry holds: the return, and the push of its value.
const RETURN_INSTRUCTIONS: u64 = 2;

/// A cost model. Holding one proves that it is complete and within the limits of this file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name, as traces show it.
    pub name: String,
    /// The NIC's processor.
    pub processor: ProcessorProfile,
    /// Standard U-Net, with or without an applet.
    pub base: BaseCosts,
    /// Calls of an applet.
    pub entry: EntryCosts,
    /// Calls of natives, by class.
    pub native: NativeCosts,
    /// Instructions that natives add to a call's fuel, by class.
    pub native_fuel: NativeFuel,
    /// The DMA engines.
    pub dma: DmaProfile,
    /// The wire, where a link does not say otherwise.
    pub wire: WireProfile,
    /// The NIC's memory.
    pub memory: MemoryProfile,
    /// What one call of an applet may use.
    pub quota: Quota,
    /// The user's processor.
    pub host: HostProfile,
}

/// Why a text is not a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// A key is missing, unknown or of the wrong form; the message shows the line.
    #[error("{0}")]
    Toml(toml::de::Error),
    /// A cost in cycles is more time than there is.
    #[error("a cost in cycles is {0}")]
    Cycles(UnitError),
    /// A row is printed with the instructions that belong to it, and they alone take longer.
    #[error(
        "the row `{row}` holds {instructions} instructions, which take {takes}: longer than the row"
    )]
    InstructionsExceedRow {
        /// The row's key.
        row: &'static str,
        /// How many of its instructions the row holds.
        instructions: u64,
        /// What they take.
        takes: SimDuration,
    },
}

impl Profile {
    /// Names of the profiles that come with the program.
    pub fn builtin_names() -> impl Iterator<Item = &'static str> {
        BUILTIN.iter().map(|&(name, _)| name)
    }

    /// Returns the profile of that name that comes with the program.
    #[must_use]
    pub fn builtin(name: &str) -> Option<Profile> {
        let (_, text) = BUILTIN.iter().find(|(builtin, _)| *builtin == name)?;
        Some(Profile::parse(text).expect("a test parses every builtin profile"))
    }

    /// Reads a profile from TOML text.
    ///
    /// # Errors
    ///
    /// [`ProfileError`] says what is missing, unknown or out of range, with its line.
    pub fn parse(text: &str) -> Result<Profile, ProfileError> {
        let written: WrittenProfile = toml::from_str(text).map_err(ProfileError::Toml)?;
        let profile = written.resolve().map_err(ProfileError::Cycles)?;
        profile.check_rows()?;
        Ok(profile)
    }

    /// Returns what a native of this class takes beside the instructions that its row holds.
    #[must_use]
    pub fn native_cost(&self, class: CostClass) -> SimDuration {
        self.net(self.native.of(class), class.instructions())
    }

    /// Returns what the call of `doTx` takes beside the instructions that its row holds.
    #[must_use]
    pub fn tx_call_cost(&self) -> SimDuration {
        self.net(self.entry.tx_call, RETURN_INSTRUCTIONS)
    }

    /// Returns what the call of `doRx` takes beside the instructions that its row holds.
    #[must_use]
    pub fn rx_call_cost(&self) -> SimDuration {
        self.net(self.entry.rx_call, RETURN_INSTRUCTIONS)
    }

    /// Returns what the call of `doTimer` takes beside the instructions that its row holds.
    #[must_use]
    pub fn timer_call_cost(&self) -> SimDuration {
        self.net(self.entry.timer_call, RETURN_INSTRUCTIONS)
    }

    /// Returns what the call of `doRefill` takes beside the instructions that its row holds.
    #[must_use]
    pub fn refill_call_cost(&self) -> SimDuration {
        self.net(self.entry.refill_call, RETURN_INSTRUCTIONS)
    }

    fn net(&self, row: SimDuration, instructions: u64) -> SimDuration {
        row.less(self.processor.bytecode.times(instructions))
    }

    fn check_rows(&self) -> Result<(), ProfileError> {
        let natives = CostClass::ALL
            .iter()
            .map(|&class| (class.key(), self.native.of(class), class.instructions()));
        let calls = [
            ("tx_call", self.entry.tx_call, RETURN_INSTRUCTIONS),
            ("rx_call", self.entry.rx_call, RETURN_INSTRUCTIONS),
            ("timer_call", self.entry.timer_call, RETURN_INSTRUCTIONS),
            ("refill_call", self.entry.refill_call, RETURN_INSTRUCTIONS),
        ];
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

impl NativeCosts {
    /// Returns the row of natives of this class, the instructions that it holds included.
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

/// Instructions that each class of natives adds to the fuel its call uses, beside its own one.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NativeFuel {
    /// Natives without a row of their own.
    pub null_call: u64,
    /// Pops of the free queue.
    pub free_buffer: u64,
    /// Set-ups of DMA transfers.
    pub dma_setup: u64,
    /// Packets.
    pub transmit: u64,
    /// Receive descriptors that carry the message.
    pub descriptor_inline: u64,
    /// Receive descriptors that name buffers.
    pub descriptor_buffers: u64,
}

impl NativeFuel {
    /// Returns the instructions that a native of this class adds.
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

/// The DMA engines between host and NIC memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DmaProfile {
    /// Whether transfers of both directions take turns on one engine.
    pub engines: DmaEngines,
    /// Bytes per second.
    #[serde(deserialize_with = "rate")]
    pub bandwidth: NonZeroU64,
}

/// How many DMA engines work at the same time; written as their number.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DmaEngines {
    /// One, for both directions.
    Shared,
    /// Two, one for each direction.
    PerDirection,
}

impl<'de> Deserialize<'de> for DmaEngines {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<DmaEngines, D::Error> {
        match u32::deserialize(source)? {
            1 => Ok(DmaEngines::Shared),
            2 => Ok(DmaEngines::PerDirection),
            _ => Err(de::Error::custom(
                "expected 1 (shared) or 2 (one for each direction)",
            )),
        }
    }
}

/// The wire.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireProfile {
    /// Bytes per second of each direction.
    #[serde(deserialize_with = "rate")]
    pub bandwidth: NonZeroU64,
    /// Time from last bit out to last bit in.
    #[serde(deserialize_with = "duration")]
    pub latency: SimDuration,
    /// How long a link that reorders holds a packet back for the next.
    #[serde(deserialize_with = "duration")]
    pub reorder_max: SimDuration,
    /// Bytes of headers and trailers around each message; none where the key is absent.
    #[serde(default, deserialize_with = "size")]
    pub header: u32,
    /// Bytes of a frame at least, headers and trailers included; none where the key is absent.
    #[serde(default, deserialize_with = "size")]
    pub min_frame: u32,
    /// Bytes for which the wire is idle behind a frame; none where the key is absent.
    #[serde(default, deserialize_with = "size")]
    pub gap: u32,
}

impl WireProfile {
    /// Returns what the wire carries beside a message.
    #[must_use]
    pub fn framing(&self) -> Framing {
        Framing {
            header: self.header,
            min_frame: self.min_frame,
            gap: self.gap,
        }
    }
}

/// The NIC's memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryProfile {
    /// Bytes of SRAM, where the scenario does not say otherwise.
    #[serde(deserialize_with = "size")]
    pub sram: u32,
    /// Bytes that one packet holds at most.
    #[serde(deserialize_with = "packet_size")]
    pub max_packet: NonZeroU32,
    /// Packets that came in and wait for the processor.
    #[serde(deserialize_with = "slots")]
    pub arrival_slots: NonZeroU32,
    /// Packets on their way out.
    #[serde(deserialize_with = "slots")]
    pub send_slots: NonZeroU32,
    /// Transfers that applets have queued from NIC memory to the host.
    #[serde(deserialize_with = "slots")]
    pub dma_slots: NonZeroU32,
    /// Bytes of heap for an applet's arrays, `RxBuf` not included.
    #[serde(deserialize_with = "size")]
    pub heap: u32,
}

/// Writes a group of costs twice: resolved, and as the file has them. What follows the `;` is no cost
/// and is read by the function named; where the key may be absent, another function tells its value.
macro_rules! costs {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident / $written:ident {
            $($(#[doc = $cost_doc:literal])+ $cost:ident $(or $fallback:ident)?,)+
            $(; $(
                $(#[doc = $other_doc:literal])+
                $other:ident: $other_type:ty = $reader:literal $(or $absent:literal)?,
            )+)?
        }
    )+) => {$(
        $(#[doc = $doc])+
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[doc = $cost_doc])+ pub $cost: SimDuration,)+
            $($($(#[doc = $other_doc])+ pub $other: $other_type,)+)?
        }

        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $written {
            $($cost: costs!(@written $($fallback)?),)+
            $($(
                #[serde(deserialize_with = $reader)]
                $(#[serde(default = $absent)])?
                $other: $other_type,
            )+)?
        }

        impl $written {
            fn resolve(self, clock: NonZeroU64) -> Result<$name, UnitError> {
                Ok($name {
                    $($cost: costs!(@own self.$cost $(, self.$fallback)?).resolve(clock)?,)+
                    $($($other: self.$other,)+)?
                })
            }
        }
    )+};
    (@written) => { WrittenCost };
    (@written $fallback:ident) => { Option<WrittenCost> };
    (@own $own:expr) => { $own };
    (@own $own:expr, $fallback:expr) => { $own.unwrap_or($fallback) };
}

costs! {
    /// The NIC's processor.
    ProcessorProfile / WrittenProcessor {
        /// What each class-file instruction takes.
        bytecode,
        ;
        /// Cycles per second.
        clock: NonZeroU64 = "frequency",
        /// Calls of an applet's methods that may be nested.
        call_depth: NonZeroU32 = "call_depth",
        /// Locals and operands that nested calls may hold together.
        call_slots: NonZeroU32 = "call_slots",
        /// Passing an item from one processor of a NIC to another; nothing where the key is absent.
        handover: SimDuration = "duration" or "no_time",
        /// What work takes while a neighbour on the NIC is busy too, in thousandths of what it takes alone; as much
        /// where the key is absent.
        contention: u32 = "contention" or "no_contention",
    }

    /// What standard U-Net takes, with or without an applet.
    BaseCosts / WrittenBase {
        /// Taking a transmit descriptor.
        transmit,
        /// Taking an arrival.
        receive,
    }

    /// What calling an applet takes.
    EntryCosts / WrittenEntry {
        /// Check for a class and set-up, before `doTx`.
        tx_setup,
        /// Call of `doTx` and return from it.
        tx_call,
        /// Check for a class and set-up, before `doRx`.
        rx_setup,
        /// Call of `doRx` and return from it.
        rx_call,
        /// Set-up before `doTimer`; that of `doRx` where the key is absent.
        timer_setup or rx_setup,
        /// Call of `doTimer` and return from it; that of `doRx` where the key is absent.
        timer_call or rx_call,
        /// Set-up before `doRefill`; that of `doRx` where the key is absent.
        refill_setup or rx_setup,
        /// Call of `doRefill` and return from it; that of `doRx` where the key is absent.
        refill_call or rx_call,
    }

    /// What calling a native takes, the transfers that it starts not included.
    NativeCosts / WrittenNative {
        /// Natives without a row of their own.
        null_call,
        /// Popping the free queue.
        free_buffer,
        /// Setting up a DMA transfer.
        dma_setup,
        /// Handing a packet to the wire.
        transmit,
        /// Pushing a receive descriptor that carries the message.
        descriptor_inline,
        /// Pushing a receive descriptor that names buffers.
        descriptor_buffers,
    }
}

/// The user's processor.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostProfile {
    /// Composing and pushing a transmit descriptor.
    #[serde(deserialize_with = "duration")]
    pub post: SimDuration,
    /// Taking a receive descriptor and putting its buffers back.
    #[serde(deserialize_with = "duration")]
    pub receive: SimDuration,
    /// Being called by the NIC.
    #[serde(deserialize_with = "duration")]
    pub upcall: SimDuration,
    /// Bytes per second when reading or copying a message.
    #[serde(deserialize_with = "rate")]
    pub bandwidth: NonZeroU64,
    /// Time between two looks at the receive queue, where the scenario does not say otherwise.
    #[serde(deserialize_with = "duration")]
    pub poll_every: SimDuration,
}

/// What one call of an applet may use, beside its endpoint's fuel and heap.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quota {
    /// Bytes by DMA, both directions together.
    #[serde(deserialize_with = "size")]
    pub dma_bytes: u32,
    /// Packets.
    pub sends: u32,
}

/// A profile as written: costs may still be cycles.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenProfile {
    name: String,
    processor: WrittenProcessor,
    base: WrittenBase,
    entry: WrittenEntry,
    native: WrittenNative,
    native_fuel: NativeFuel,
    dma: DmaProfile,
    wire: WireProfile,
    memory: MemoryProfile,
    quota: Quota,
    host: HostProfile,
}

impl WrittenProfile {
    fn resolve(self) -> Result<Profile, UnitError> {
        let clock = self.processor.clock;
        Ok(Profile {
            name: self.name,
            processor: self.processor.resolve(clock)?,
            base: self.base.resolve(clock)?,
            entry: self.entry.resolve(clock)?,
            native: self.native.resolve(clock)?,
            native_fuel: self.native_fuel,
            dma: self.dma,
            wire: self.wire,
            memory: self.memory,
            quota: self.quota,
            host: self.host,
        })
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
            assert_eq!(
                Profile::builtin(name)
                    .map(|profile| profile.name)
                    .as_deref(),
                Some(name)
            );
        }
        assert_eq!(Profile::builtin("lanai-1999"), None);
    }

    #[test]
    fn figure_5_adds_up() {
        let profile = Profile::builtin("lanai-1998").unwrap();
        let (entry, native) = (profile.entry, profile.native);
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
        let text = lanai().replace("null_call = \"5.5us\"", "null_call = \"203.5 cycles\"");
        assert_ne!(text, lanai());
        assert_eq!(Profile::parse(&text), Profile::parse(lanai()));
    }

    #[test]
    fn rows_are_net_of_the_instructions_that_they_hold() {
        let text = lanai().replace("bytecode = \"0us\"", "bytecode = \"0.65us\"");
        let profile = Profile::parse(&text).unwrap();
        let net = |class| profile.native_cost(class).as_ns();
        // 8.1 less five times 0.65: four pushes and the call.
        assert_eq!(net(CostClass::Transmit), 4_850);
        assert_eq!(net(CostClass::FreeBuffer), 5_200);
        assert_eq!(net(CostClass::DescriptorInline), 10_300);
        assert_eq!(profile.tx_call_cost().as_ns(), 2_600);
        let text = lanai().replace("bytecode = \"0us\"", "bytecode = \"1.7us\"");
        assert_eq!(
            Profile::parse(&text).unwrap_err().to_string(),
            "the row `transmit` holds 5 instructions, which take 8.500 us: longer than the row"
        );
    }

    #[test]
    fn mistakes_are_shown_with_their_line() {
        let cases = [
            (
                "tx_call = \"3.9us\"",
                "tx_call = \"3.9\"",
                "expected a unit out of ns, us, ms, s",
            ),
            (
                "tx_call = \"3.9us\"",
                "tx_cal = \"3.9us\"",
                "unknown field `tx_cal`",
            ),
            ("engines = 1 ", "engines = 3 ", "expected 1 (shared) or 2"),
            (
                "send_slots = 2 ",
                "send_slots = 0 ",
                "expected 1 to 65536, found 0",
            ),
            (
                "clock = \"37MHz\"",
                "clock = \"0Hz\"",
                "expected more than 0 Hz",
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
