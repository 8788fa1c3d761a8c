//! How a profile writes quantities: costs as times or cycles, sizes, rates and counts within limits.

use std::num::{NonZeroU32, NonZeroU64};

use nic_core::time::SimDuration;
use serde::de::{self, Deserialize, Deserializer};

use crate::units::{self, Decimal, UnitError};

/// Largest packet that a profile may allow: what a Java array index and the host's offsets share with
/// room to spare, and small enough that slots of that size stay affordable.
const MAX_PACKET_LIMIT: u32 = 1 << 20;

/// Most slots of one kind, so that no product of slots and packet size overflows 64 bits by far.
const SLOTS_LIMIT: u32 = 1 << 16;

/// Deepest call stack that a profile may ask for; every NIC's is allocated.
const CALL_DEPTH_LIMIT: u32 = 1 << 14;

/// Most locals and operands that a profile may ask for; every NIC's are allocated.
const CALL_SLOTS_LIMIT: u32 = 1 << 18;

/// A cost as written.
#[derive(Copy, Clone)]
pub(super) enum WrittenCost {
    Time(SimDuration),
    Cycles(Decimal),
}

impl WrittenCost {
    pub(super) fn resolve(self, clock: NonZeroU64) -> Result<SimDuration, UnitError> {
        match self {
            WrittenCost::Time(time) => Ok(time),
            WrittenCost::Cycles(cycles) => cycles.cycles(clock),
        }
    }
}

impl<'de> Deserialize<'de> for WrittenCost {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<WrittenCost, D::Error> {
        let text = String::deserialize(source)?;
        match Decimal::split(&text) {
            Ok((cycles, "cycles")) => Ok(WrittenCost::Cycles(cycles)),
            Ok(_) | Err(_) => units::parse_duration(&text)
                .map(WrittenCost::Time)
                .map_err(de::Error::custom),
        }
    }
}

pub(super) fn duration<'de, D: Deserializer<'de>>(source: D) -> Result<SimDuration, D::Error> {
    units::parse_duration(&String::deserialize(source)?).map_err(de::Error::custom)
}

pub(super) fn size<'de, D: Deserializer<'de>>(source: D) -> Result<u32, D::Error> {
    let bytes = units::parse_size(&String::deserialize(source)?).map_err(de::Error::custom)?;
    u32::try_from(bytes).map_err(|_| de::Error::custom("expected less than 4096 MiB"))
}

pub(super) fn packet_size<'de, D: Deserializer<'de>>(source: D) -> Result<NonZeroU32, D::Error> {
    at_most(size(source)?, MAX_PACKET_LIMIT)
}

pub(super) fn slots<'de, D: Deserializer<'de>>(source: D) -> Result<NonZeroU32, D::Error> {
    at_most(u32::deserialize(source)?, SLOTS_LIMIT)
}

pub(super) fn call_depth<'de, D: Deserializer<'de>>(source: D) -> Result<NonZeroU32, D::Error> {
    at_most(u32::deserialize(source)?, CALL_DEPTH_LIMIT)
}

pub(super) fn call_slots<'de, D: Deserializer<'de>>(source: D) -> Result<NonZeroU32, D::Error> {
    at_most(u32::deserialize(source)?, CALL_SLOTS_LIMIT)
}

fn at_most<E: de::Error>(value: u32, limit: u32) -> Result<NonZeroU32, E> {
    NonZeroU32::new(value)
        .filter(|value| value.get() <= limit)
        .ok_or_else(|| E::custom(format_args!("expected 1 to {limit}, found {value}")))
}

pub(super) fn rate<'de, D: Deserializer<'de>>(source: D) -> Result<NonZeroU64, D::Error> {
    let rate = units::parse_rate(&String::deserialize(source)?).map_err(de::Error::custom)?;
    NonZeroU64::new(rate).ok_or_else(|| de::Error::custom("expected more than 0 B/s"))
}

pub(super) fn frequency<'de, D: Deserializer<'de>>(source: D) -> Result<NonZeroU64, D::Error> {
    let hertz = units::parse_frequency(&String::deserialize(source)?).map_err(de::Error::custom)?;
    NonZeroU64::new(hertz).ok_or_else(|| de::Error::custom("expected more than 0 Hz"))
}

/// A factor from 1 to 100, as thousandths: finer than a figure that anybody measured.
pub(super) fn contention<'de, D: Deserializer<'de>>(source: D) -> Result<u32, D::Error> {
    let factor = f64::deserialize(source)?;
    if !(1.0..=100.0).contains(&factor) {
        return Err(de::Error::custom(format_args!(
            "expected a factor from 1.0 to 100.0, found {factor}"
        )));
    }
    // Exact: the product is at most 100,000.
    Ok((factor * 1000.0).round() as u32)
}

pub(super) fn no_contention() -> u32 {
    1000
}

pub(super) fn no_time() -> SimDuration {
    SimDuration::ZERO
}
