//! Kinds of quantities in a profile: how each is written, its limits, and how far a sensitivity analysis moves it.

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};

use nic_core::time::SimDuration;
use nic_core::via::SEGMENTS_MAX;

use super::{
    DmaEngines, Events, Flow, Locks, Place, PortOrder, ReadPointer, Scheduling, StalledStore,
    Takes, Victim, WithWire,
};
use crate::units::{self, Decimal, UnitError};

/// Maximum number of bytes of a packet that a profile may allow. A Java array index can hold 1 MiB, and packet slots of
/// this size stay affordable.
const MAX_PACKET_LIMIT: u32 = 1 << 20;

/// Most slots of one kind. With at most 65,536 slots, products of slots and packet size stay far below 2^64.
const SLOTS_LIMIT: u32 = 1 << 16;

/// Most nested calls that a profile may allow; the simulator allocates them for every processor.
const CALL_DEPTH_LIMIT: u32 = 1 << 14;

/// Most local variables and operands that a profile may allow; the simulator allocates them for every processor.
const CALL_SLOTS_LIMIT: u32 = 1 << 18;

/// A factor of one, in thousandths.
pub(super) const ONE: u32 = 1000;

/// A scalar value of a TOML file.
#[derive(Copy, Clone, Debug)]
pub(super) enum Scalar<'t> {
    Text(&'t str),
    Integer(i64),
    Float(f64),
}

impl fmt::Display for Scalar<'_> {
    /// Shows the value as a file writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Text(text) => write!(f, "{text:?}"),
            Scalar::Integer(number) => number.fmt(f),
            Scalar::Float(number) => number.fmt(f),
        }
    }
}

impl Scalar<'_> {
    /// Reads a text that has a number and a unit, such as `example`.
    fn quantity<T>(
        &self,
        example: &str,
        parse: impl FnOnce(&str) -> Result<T, UnitError>,
    ) -> Result<T, String> {
        let Scalar::Text(text) = self else {
            return Err(format!(
                "expected a number with its unit, in quotes, as in \"{example}\", found {self}"
            ));
        };
        parse(text).map_err(|error| match error {
            UnitError::NotANumber => {
                format!("expected a number with its unit, as in \"{example}\", found {self}")
            }
            UnitError::UnknownUnit { .. } | UnitError::TooFine | UnitError::TooLarge => {
                error.to_string()
            }
        })
    }

    /// Returns a string, or an integer as a string.
    fn word(&self) -> Option<String> {
        match self {
            Scalar::Text(text) => Some((*text).to_owned()),
            Scalar::Integer(number) => Some(number.to_string()),
            Scalar::Float(_) => None,
        }
    }

    fn integer(&self) -> Option<u64> {
        match *self {
            Scalar::Integer(number) => u64::try_from(number).ok(),
            Scalar::Text(_) | Scalar::Float(_) => None,
        }
    }
}

/// A value in the form that a profile's file uses. The meaning of the written value may depend on the processor's clock
/// rate.
pub(super) trait Written: Copy {
    type Value: Copy;

    /// Returns the written value for a processor with this clock rate, in hertz.
    fn resolve(self, clock: NonZeroU64) -> Result<Self::Value, UnitError>;
}

/// A written value that does not depend on the clock rate.
#[derive(Copy, Clone)]
pub(super) struct Plain<T>(pub(super) T);

impl<T: Copy> Written for Plain<T> {
    type Value = T;

    fn resolve(self, _: NonZeroU64) -> Result<T, UnitError> {
        Ok(self.0)
    }
}

/// A cost as a profile writes it: a time or a number of cycles.
#[derive(Copy, Clone)]
pub(super) enum WrittenCost {
    Time(SimDuration),
    Cycles(Decimal),
}

impl Written for WrittenCost {
    type Value = SimDuration;

    fn resolve(self, clock: NonZeroU64) -> Result<SimDuration, UnitError> {
        match self {
            WrittenCost::Time(time) => Ok(time),
            WrittenCost::Cycles(cycles) => cycles.cycles(clock),
        }
    }
}

/// A kind of quantity.
pub(super) trait Kind {
    /// The value as written.
    type Written: Written;

    /// Description of the form in which a file may write a quantity of this kind.
    const FORM: &'static str;

    /// Reads a written value. The error says what form was expected.
    fn read(scalar: Scalar<'_>) -> Result<Self::Written, String>;

    /// Returns the value in the form that a file uses.
    fn show(value: Value<Self>) -> String;

    /// Returns the value multiplied by a factor, rounded. The result is `None` if the value stays the same or is not
    /// allowed.
    fn scaled(value: Value<Self>, factor: Factor) -> Option<Value<Self>>;

    /// Returns nearby values: 5 % more and less for a measured value, one more and less for a count, the alternatives
    /// of a choice.
    fn near(value: Value<Self>) -> Vec<Value<Self>> {
        let near = [Factor::of(105, 100), Factor::of(95, 100)];
        near.into_iter()
            .filter_map(|factor| Self::scaled(value, factor))
            .collect()
    }

    /// Returns the alternatives of a choice, and nothing for other kinds.
    fn alternatives(_: Value<Self>) -> Vec<Value<Self>> {
        Vec::new()
    }
}

/// A factor by which a sensitivity analysis moves a value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    numerator: u32,
    denominator: u32,
}

impl Factor {
    /// Returns the factor `numerator / denominator`.
    ///
    /// # Panics
    ///
    /// If `denominator` is 0.
    #[must_use]
    pub const fn of(numerator: u32, denominator: u32) -> Factor {
        assert!(denominator > 0, "a factor is a number");
        Factor {
            numerator,
            denominator,
        }
    }

    /// Returns a number multiplied by the factor, rounded. The result is `None` if the number stays the same or becomes
    /// too large.
    fn scale(self, number: u64) -> Option<u64> {
        let denominator = u128::from(self.denominator);
        let product = u128::from(number) * u128::from(self.numerator);
        let scaled = u64::try_from((product + denominator / 2) / denominator);
        scaled.ok().filter(|&scaled| scaled != number)
    }
}

/// The type of a kind of quantity in the simulation.
pub(super) type Value<K> = <<K as Kind>::Written as Written>::Value;

/// A cost of a step: a time, or processor cycles.
pub(super) struct Cost;

impl Kind for Cost {
    type Written = WrittenCost;
    const FORM: &'static str = "time or cycles";

    fn read(scalar: Scalar<'_>) -> Result<WrittenCost, String> {
        if let Scalar::Text(text) = scalar
            && let Ok((cycles, "cycles")) = Decimal::split(text)
        {
            return Ok(WrittenCost::Cycles(cycles));
        }
        Time::read(scalar).map(|Plain(time)| WrittenCost::Time(time))
    }

    fn show(value: SimDuration) -> String {
        Time::show(value)
    }

    fn scaled(value: SimDuration, factor: Factor) -> Option<SimDuration> {
        Time::scaled(value, factor)
    }
}

/// A time.
pub(super) struct Time;

impl Kind for Time {
    type Written = Plain<SimDuration>;
    const FORM: &'static str = "time";

    fn read(scalar: Scalar<'_>) -> Result<Plain<SimDuration>, String> {
        scalar.quantity("1.5us", units::parse_duration).map(Plain)
    }

    fn show(value: SimDuration) -> String {
        units::show_duration(value)
    }

    fn scaled(value: SimDuration, factor: Factor) -> Option<SimDuration> {
        factor.scale(value.as_ps()).map(SimDuration::from_ps)
    }
}

/// A number of bytes.
pub(super) struct Bytes;

impl Kind for Bytes {
    type Written = Plain<u32>;
    const FORM: &'static str = "bytes";

    fn read(scalar: Scalar<'_>) -> Result<Plain<u32>, String> {
        let bytes = scalar.quantity("4KiB", units::parse_size)?;
        let bytes = u32::try_from(bytes).map_err(|_| "expected less than 4096 MiB".to_owned())?;
        Ok(Plain(bytes))
    }

    fn show(value: u32) -> String {
        units::show_size(value.into())
    }

    fn scaled(value: u32, factor: Factor) -> Option<u32> {
        factor.scale(value.into())?.try_into().ok()
    }
}

/// The length of a packet in bytes.
pub(super) struct PacketBytes;

impl PacketBytes {
    fn within(bytes: u32) -> Option<NonZeroU32> {
        NonZeroU32::new(bytes).filter(|bytes| bytes.get() <= MAX_PACKET_LIMIT)
    }
}

impl Kind for PacketBytes {
    type Written = Plain<NonZeroU32>;
    const FORM: &'static str = "bytes, 1B to 1MiB";

    fn read(scalar: Scalar<'_>) -> Result<Plain<NonZeroU32>, String> {
        let Plain(bytes) = Bytes::read(scalar)?;
        let bytes = PacketBytes::within(bytes);
        let bytes = bytes.ok_or_else(|| format!("expected {}", PacketBytes::FORM))?;
        Ok(Plain(bytes))
    }

    fn show(value: NonZeroU32) -> String {
        Bytes::show(value.get())
    }

    fn scaled(value: NonZeroU32, factor: Factor) -> Option<NonZeroU32> {
        let scaled = Bytes::scaled(value.get(), factor);
        scaled.and_then(PacketBytes::within)
    }
}

/// A rate in bytes per second.
pub(super) struct Rate;

impl Kind for Rate {
    type Written = Plain<NonZeroU64>;
    const FORM: &'static str = "bytes per second";

    fn read(scalar: Scalar<'_>) -> Result<Plain<NonZeroU64>, String> {
        let rate = scalar.quantity("50MB/s", units::parse_rate)?;
        let rate = NonZeroU64::new(rate).ok_or("expected more than 0 B/s")?;
        Ok(Plain(rate))
    }

    fn show(value: NonZeroU64) -> String {
        units::show_rate(value.get())
    }

    fn scaled(value: NonZeroU64, factor: Factor) -> Option<NonZeroU64> {
        factor.scale(value.get()).and_then(NonZeroU64::new)
    }
}

/// A frequency.
pub(super) struct Frequency;

impl Kind for Frequency {
    type Written = Plain<NonZeroU64>;
    const FORM: &'static str = "frequency";

    fn read(scalar: Scalar<'_>) -> Result<Plain<NonZeroU64>, String> {
        let hertz = scalar.quantity("37MHz", units::parse_frequency)?;
        let hertz = NonZeroU64::new(hertz).ok_or("expected more than 0 Hz")?;
        Ok(Plain(hertz))
    }

    fn show(value: NonZeroU64) -> String {
        units::show_frequency(value.get())
    }

    fn scaled(value: NonZeroU64, factor: Factor) -> Option<NonZeroU64> {
        Rate::scaled(value, factor)
    }
}

/// The integer type of a count.
trait Count: Copy {
    fn of(number: u64) -> Option<Self>;
    fn number(self) -> u64;
}

impl Count for NonZeroU32 {
    fn of(number: u64) -> Option<NonZeroU32> {
        u32::try_from(number).ok().and_then(NonZeroU32::new)
    }

    fn number(self) -> u64 {
        self.get().into()
    }
}

impl Count for u32 {
    fn of(number: u64) -> Option<u32> {
        number.try_into().ok()
    }

    fn number(self) -> u64 {
        self.into()
    }
}

impl Count for u64 {
    fn of(number: u64) -> Option<u64> {
        Some(number)
    }

    fn number(self) -> u64 {
        self
    }
}

/// Declares kinds of quantities that count: name, form in a file, type and largest value.
macro_rules! counts {
    ($($(#[doc = $doc:literal])+ $name:ident($form:literal): $value:ty, at most $limit:expr;)+) => {$(
        $(#[doc = $doc])+
        pub(super) struct $name;

        impl $name {
            fn within(number: u64) -> Option<$value> {
                let limit: u64 = $limit;
                <$value>::of(number).filter(|_| number <= limit)
            }
        }

        impl Kind for $name {
            type Written = Plain<$value>;
            const FORM: &'static str = $form;

            fn read(scalar: Scalar<'_>) -> Result<Plain<$value>, String> {
                let value = scalar.integer().and_then($name::within);
                value.map(Plain).ok_or_else(|| {
                    let whole = match $form.contains("whole number") {
                        true => "",
                        false => "a whole number, ",
                    };
                    format!("expected {whole}{}, found {scalar}", $form)
                })
            }

            fn show(value: $value) -> String {
                value.to_string()
            }

            fn scaled(value: $value, factor: Factor) -> Option<$value> {
                factor.scale(value.number()).and_then($name::within)
            }

            fn near(value: $value) -> Vec<$value> {
                let number = value.number();
                let near = [number.checked_add(1), number.checked_sub(1)];
                near.into_iter().flatten().filter_map($name::within).collect()
            }
        }
    )+};
}

counts! {
    /// Slots for packets.
    Slots("1 to 65536"): NonZeroU32, at most SLOTS_LIMIT.into();
    /// Segments of a descriptor.
    Segments("1 to 252"): NonZeroU32, at most SEGMENTS_MAX.into();
    /// Nested calls.
    CallDepth("1 to 16384"): NonZeroU32, at most CALL_DEPTH_LIMIT.into();
    /// Local variables and operands.
    CallSlots("1 to 262144"): NonZeroU32, at most CALL_SLOTS_LIMIT.into();
    /// Instructions.
    Instructions("a whole number"): u64, at most u64::MAX;
    /// Packets.
    Packets("a whole number below 2^32"): u32, at most u32::MAX.into();
}

/// A factor from 1 to 100, in thousandths. No published figure of contention is finer than a thousandth.
pub(super) struct Multiple;

impl Kind for Multiple {
    type Written = Plain<u32>;
    const FORM: &'static str = "factor, 1.0 to 100.0";

    fn read(scalar: Scalar<'_>) -> Result<Plain<u32>, String> {
        let factor = match scalar {
            Scalar::Float(factor) => factor,
            Scalar::Integer(factor) => factor as f64,
            Scalar::Text(_) => {
                return Err(format!(
                    "expected a factor from 1.0 to 100.0, found {scalar}"
                ));
            }
        };
        if !(1.0..=100.0).contains(&factor) {
            return Err(format!(
                "expected a factor from 1.0 to 100.0, found {factor}"
            ));
        }
        // The cast loses nothing, because the product is at most 100,000.
        Ok(Plain((factor * f64::from(ONE)).round() as u32))
    }

    fn show(value: u32) -> String {
        (f64::from(value) / f64::from(ONE)).to_string()
    }

    fn scaled(value: u32, factor: Factor) -> Option<u32> {
        let scaled = u32::try_from(factor.scale(value.into())?).ok();
        scaled.filter(|scaled| (ONE..=100 * ONE).contains(scaled))
    }
}

/// A part from 0 to 1, in thousandths.
pub(super) struct Share;

impl Kind for Share {
    type Written = Plain<u32>;
    const FORM: &'static str = "part, 0.0 to 1.0";

    fn read(scalar: Scalar<'_>) -> Result<Plain<u32>, String> {
        let part = match scalar {
            Scalar::Float(part) => part,
            Scalar::Integer(part) => part as f64,
            Scalar::Text(_) => {
                return Err(format!("expected a part from 0.0 to 1.0, found {scalar}"));
            }
        };
        if !(0.0..=1.0).contains(&part) {
            return Err(format!("expected a part from 0.0 to 1.0, found {part}"));
        }
        // The cast loses nothing, because the product is at most 1,000.
        Ok(Plain((part * f64::from(ONE)).round() as u32))
    }

    fn show(value: u32) -> String {
        (f64::from(value) / f64::from(ONE)).to_string()
    }

    fn scaled(value: u32, factor: Factor) -> Option<u32> {
        let scaled = u32::try_from(factor.scale(value.into())?).ok();
        scaled.filter(|&scaled| scaled <= ONE)
    }
}

/// Declares kinds of quantities that are a choice: name, form, type, and each alternative with its written form.
macro_rules! choices {
    ($($(#[doc = $doc:literal])+ $name:ident($form:literal): $value:ident { $($choice:ident = $written:literal,)+ })+) => {$(
        $(#[doc = $doc])+
        pub(super) struct $name;

        impl $name {
            const ALL: &[($value, &str)] = &[$(($value::$choice, $written),)+];
        }

        impl Kind for $name {
            type Written = Plain<$value>;
            const FORM: &'static str = $form;

            fn read(scalar: Scalar<'_>) -> Result<Plain<$value>, String> {
                let found = scalar.word();
                let mut all = $name::ALL.iter();
                let choice = all.find(|(_, written)| found.as_deref() == Some(written));
                let &(value, _) = choice.ok_or_else(|| format!("expected {}", $form))?;
                Ok(Plain(value))
            }

            fn show(value: $value) -> String {
                let mut all = $name::ALL.iter();
                let shown = all.find(|(choice, _)| *choice == value);
                shown.map_or_else(String::new, |(_, written)| (*written).to_owned())
            }

            fn scaled(_: $value, _: Factor) -> Option<$value> {
                None
            }

            fn near(value: $value) -> Vec<$value> {
                $name::alternatives(value)
            }

            fn alternatives(value: $value) -> Vec<$value> {
                let others = $name::ALL.iter().filter(|(choice, _)| *choice != value);
                others.map(|&(choice, _)| choice).collect()
            }
        }
    )+};
}

choices! {
    /// Number of DMA engines.
    Engines("1 (shared) or 2 (one for each direction)"): DmaEngines {
        Shared = "1",
        PerDirection = "2",
    }
    /// Whether a DMA engine queues requests.
    EngineTakes("\"queue\" or \"one\""): Takes {
        Queue = "queue",
        One = "one",
    }
    /// Whether DMA and the sending of packets can run at the same time.
    WireTurns("\"parallel\" or \"in-turn\""): WithWire {
        Parallel = "parallel",
        InTurn = "in-turn",
    }
    /// Where a NIC's loop and its applets run.
    LoopPlace("\"nic\" or \"host\""): Place {
        Nic = "nic",
        Host = "host",
    }
    /// How a library over remote memory learns of the peer's writes.
    EventsBy("\"interrupt\" or \"user\""): Events {
        Interrupt = "interrupt",
        User = "user",
    }
    /// When the reader of a ring tells the writer how far it has read.
    ReadPointerTold("\"each\" or \"lazy\""): ReadPointer {
        Each = "each",
        Lazy = "lazy",
    }
    /// Order in which packets leave by a port.
    OrderAtPort("\"handed-over\" or \"round-robin\""): PortOrder {
        HandedOver = "handed-over",
        RoundRobin = "round-robin",
    }
    /// What a semaphore protects.
    LocksOf("\"one\", \"per-object\" or \"private\""): Locks {
        One = "one",
        PerObject = "per-object",
        Private = "private",
    }
    /// Which port of LMMC goes out.
    VictimChosen("\"fifo\" or \"clock\""): Victim {
        Fifo = "fifo",
        Clock = "clock",
    }
    /// What happens to a store for which a link has no room.
    StalledStoreDoes("\"restarts\" or \"waits\""): StalledStore {
        Restarts = "restarts",
        Waits = "waits",
    }
    /// Which process runs next.
    SchedulingOf("\"preferred\" or \"plain\""): Scheduling {
        Preferred = "preferred",
        Plain = "plain",
    }
    /// Handling of packets for which the receiver has no slot.
    WireFlow("\"hold\", \"drop\" or \"stop\""): Flow {
        Hold = "hold",
        Drop = "drop",
        Stop = "stop",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_moves_by_5_percent_and_what_is_counted_by_one() {
        assert_eq!(
            Time::near(SimDuration::from_ns(20)),
            [SimDuration::from_ns(21), SimDuration::from_ns(19)]
        );
        assert_eq!(Time::near(SimDuration::ZERO), []);
        assert_eq!(Multiple::near(ONE), [1050]);
        let one = NonZeroU32::new(1).unwrap();
        assert_eq!(Slots::near(one), [NonZeroU32::new(2).unwrap()]);
        assert_eq!(
            Engines::near(DmaEngines::Shared),
            [DmaEngines::PerDirection]
        );
    }

    #[test]
    fn what_is_shown_is_read_as_the_same() {
        fn again<K: Kind>(text: &str) -> String
        where
            Value<K>: Copy,
        {
            let clock = NonZeroU64::new(1_000_000).unwrap();
            let written = K::read(Scalar::Text(text)).ok().unwrap();
            K::show(written.resolve(clock).unwrap())
        }
        for time in ["11.8us", "500ns", "0us", "1.5s", "126ns", "5.85us", "3ps"] {
            assert_eq!(again::<Time>(time), time);
        }
        assert_eq!(again::<Cost>("3 cycles"), "3us");
        for size in ["256KiB", "9KiB", "9217B", "0B", "4MiB"] {
            assert_eq!(again::<Bytes>(size), size);
        }
        for rate in ["12.5GB/s", "160MB/s", "7B/s"] {
            assert_eq!(again::<Rate>(rate), rate);
        }
        assert_eq!(again::<Frequency>("37MHz"), "37MHz");
    }
}
