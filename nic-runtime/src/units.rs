//! Parses and shows quantities with units, such as `"11.8us"`, `"256KiB"` and `"160MB/s"`.
//!
//! All arithmetic on quantities is on integers. A quantity that cannot be represented exactly is refused, not rounded.

use nic_core::time::SimDuration;

/// Why a text is not a quantity of the expected kind.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// The text does not begin with a decimal number.
    #[error("expected a decimal number, as in `1.5us`")]
    NotANumber,
    /// The unit is missing or unknown.
    #[error("expected a unit out of {expected}")]
    UnknownUnit {
        /// The allowed units.
        expected: &'static str,
    },
    /// The number has more decimals than the smallest unit can represent.
    #[error("more decimals than the smallest unit resolves")]
    TooFine,
    /// The quantity does not fit in 64 bits.
    #[error("larger than 64 bits hold")]
    TooLarge,
}

struct Unit {
    suffix: &'static str,
    factor: u64,
}

const TIMES: &[Unit] = &[
    Unit {
        suffix: "ps",
        factor: 1,
    },
    Unit {
        suffix: "ns",
        factor: 1_000,
    },
    Unit {
        suffix: "us",
        factor: 1_000_000,
    },
    Unit {
        suffix: "ms",
        factor: 1_000_000_000,
    },
    Unit {
        suffix: "s",
        factor: 1_000_000_000_000,
    },
];
const SIZES: &[Unit] = &[
    Unit {
        suffix: "B",
        factor: 1,
    },
    Unit {
        suffix: "KB",
        factor: 1_000,
    },
    Unit {
        suffix: "MB",
        factor: 1_000_000,
    },
    Unit {
        suffix: "KiB",
        factor: 1 << 10,
    },
    Unit {
        suffix: "MiB",
        factor: 1 << 20,
    },
];
const RATES: &[Unit] = &[
    Unit {
        suffix: "B/s",
        factor: 1,
    },
    Unit {
        suffix: "KB/s",
        factor: 1_000,
    },
    Unit {
        suffix: "MB/s",
        factor: 1_000_000,
    },
    Unit {
        suffix: "GB/s",
        factor: 1_000_000_000,
    },
    Unit {
        suffix: "KiB/s",
        factor: 1 << 10,
    },
    Unit {
        suffix: "MiB/s",
        factor: 1 << 20,
    },
];
const FREQUENCIES: &[Unit] = &[
    Unit {
        suffix: "Hz",
        factor: 1,
    },
    Unit {
        suffix: "kHz",
        factor: 1_000,
    },
    Unit {
        suffix: "MHz",
        factor: 1_000_000,
    },
    Unit {
        suffix: "GHz",
        factor: 1_000_000_000,
    },
];

/// A decimal number as written: `digits`, with the decimal point `decimals` places from the right.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    digits: u64,
    decimals: u32,
}

impl Decimal {
    /// Splits `text` into the number at its start and the rest, without the white space between them.
    ///
    /// # Errors
    ///
    /// [`UnitError::NotANumber`] if `text` does not start with a number, [`UnitError::TooLarge`] if the digits exceed
    /// 64 bits.
    pub fn split(text: &str) -> Result<(Decimal, &str), UnitError> {
        let end = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        let (whole, fraction) = match number.split_once('.') {
            Some((_, "")) => return Err(UnitError::NotANumber),
            Some(parts) => parts,
            None => (number, ""),
        };
        if whole.is_empty() || fraction.contains('.') {
            return Err(UnitError::NotANumber);
        }
        let mut digits = 0u64;
        for digit in whole.bytes().chain(fraction.bytes()) {
            digits = digits
                .checked_mul(10)
                .and_then(|d| d.checked_add(u64::from(digit - b'0')))
                .ok_or(UnitError::TooLarge)?;
        }
        let decimals = u32::try_from(fraction.len()).map_err(|_| UnitError::TooLarge)?;
        Ok((Decimal { digits, decimals }, rest.trim_start()))
    }

    /// Returns this decimal number times `factor`; the product must be a whole number.
    ///
    /// # Errors
    ///
    /// [`UnitError::TooFine`] if the product is not whole, [`UnitError::TooLarge`] if it overflows.
    pub fn times(self, factor: u64) -> Result<u64, UnitError> {
        let scale = self.scale()?;
        let product = u128::from(self.digits) * u128::from(factor);
        if product % scale != 0 {
            return Err(UnitError::TooFine);
        }
        u64::try_from(product / scale).map_err(|_| UnitError::TooLarge)
    }

    /// Returns the time of this number of cycles at a clock rate of `hertz`, rounded to the nearest picosecond.
    ///
    /// # Errors
    ///
    /// [`UnitError::TooLarge`] if the time overflows.
    pub fn cycles(self, hertz: std::num::NonZeroU64) -> Result<SimDuration, UnitError> {
        const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;
        let divisor = self
            .scale()?
            .checked_mul(u128::from(hertz.get()))
            .ok_or(UnitError::TooLarge)?;
        let product = u128::from(self.digits) * PICOSECONDS_PER_SECOND;
        let nearest = (product + divisor / 2) / divisor;
        u64::try_from(nearest)
            .map(SimDuration::from_ps)
            .map_err(|_| UnitError::TooLarge)
    }

    fn scale(self) -> Result<u128, UnitError> {
        10u128.checked_pow(self.decimals).ok_or(UnitError::TooFine)
    }
}

/// Parses a time in `ps`, `ns`, `us`, `ms` or `s`.
///
/// # Errors
///
/// Returns the reason for which `text` is not a time. The error for a fraction of a picosecond is
/// [`UnitError::TooFine`].
pub fn parse_duration(text: &str) -> Result<SimDuration, UnitError> {
    quantity(text, TIMES, "ns, us, ms, s").map(SimDuration::from_ps)
}

/// Parses a number of bytes in `B`, `KB`, `MB`, `KiB` or `MiB`.
///
/// # Errors
///
/// Returns the reason for which `text` is not a size.
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    quantity(text, SIZES, "B, KB, MB, KiB, MiB")
}

/// Parses a rate in `B/s`, `KB/s`, `MB/s`, `GB/s`, `KiB/s` or `MiB/s`.
///
/// # Errors
///
/// Returns the reason for which `text` is not a rate.
pub fn parse_rate(text: &str) -> Result<u64, UnitError> {
    quantity(text, RATES, "B/s, KB/s, MB/s, GB/s, KiB/s, MiB/s")
}

/// Parses a frequency in `Hz`, `kHz`, `MHz` or `GHz`.
///
/// # Errors
///
/// Returns the reason for which `text` is not a frequency.
pub fn parse_frequency(text: &str) -> Result<u64, UnitError> {
    quantity(text, FREQUENCIES, "Hz, kHz, MHz, GHz")
}

/// Shows a time in the form that [`parse_duration`] reads, in the largest unit that fits.
#[must_use]
pub fn show_duration(time: SimDuration) -> String {
    match time {
        SimDuration::ZERO => "0us".to_owned(),
        _ => shown(time.as_ps(), TIMES),
    }
}

/// Shows a number of bytes in the form that [`parse_size`] reads, in the largest binary unit that divides it.
#[must_use]
pub fn show_size(bytes: u64) -> String {
    let is_whole = |unit: &&Unit| {
        unit.suffix != "KB" && unit.suffix != "MB" && bytes.is_multiple_of(unit.factor)
    };
    let units = SIZES.iter().filter(is_whole);
    match units.max_by_key(|unit| unit.factor) {
        Some(unit) if bytes > 0 => format!("{}{}", bytes / unit.factor, unit.suffix),
        _ => format!("{bytes}B"),
    }
}

/// Shows a rate in the form that [`parse_rate`] reads, in decimal units.
#[must_use]
pub fn show_rate(bytes_per_second: u64) -> String {
    let (decimal, _binary) = RATES.split_at(RATES.len() - 2);
    shown(bytes_per_second, decimal)
}

/// Shows a frequency in the form that [`parse_frequency`] reads.
#[must_use]
pub fn show_frequency(hertz: u64) -> String {
    shown(hertz, FREQUENCIES)
}

/// Shows a quantity exactly, in the largest unit that is not larger than the quantity. The `units` are in ascending
/// order, by factors of a thousand.
fn shown(value: u64, units: &[Unit]) -> String {
    let largest = units.iter().rev().find(|unit| unit.factor <= value);
    let unit = largest.unwrap_or(&units[0]);
    let (whole, rest) = (value / unit.factor, value % unit.factor);
    if rest == 0 {
        return format!("{whole}{}", unit.suffix);
    }
    let places = unit.factor.ilog10() as usize;
    let fraction = format!("{rest:0places$}");
    format!("{whole}.{}{}", fraction.trim_end_matches('0'), unit.suffix)
}

fn quantity(text: &str, units: &[Unit], expected: &'static str) -> Result<u64, UnitError> {
    let (number, suffix) = Decimal::split(text.trim())?;
    let unit = units
        .iter()
        .find(|unit| unit.suffix == suffix)
        .ok_or(UnitError::UnknownUnit { expected })?;
    number.times(unit.factor)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    #[test]
    fn the_papers_figures_are_exact() {
        assert_eq!(
            parse_duration("11.8us"),
            Ok(SimDuration::from_ps(11_800_000))
        );
        assert_eq!(
            parse_duration("5.85us"),
            Ok(SimDuration::from_ps(5_850_000))
        );
        assert_eq!(parse_rate("160MB/s"), Ok(160_000_000));
        assert_eq!(parse_size("256KiB"), Ok(262_144));
    }

    #[test]
    fn what_is_not_exact_is_refused() {
        assert_eq!(parse_duration("0.5ps"), Err(UnitError::TooFine));
        assert_eq!(parse_size("1.0001KB"), Err(UnitError::TooFine));
        assert_eq!(parse_duration("18446745s"), Err(UnitError::TooLarge));
        assert_eq!(
            parse_duration("99999999999999999999s"),
            Err(UnitError::TooLarge)
        );
    }

    #[test]
    fn malformed_quantities_are_named() {
        for text in ["", "us", ".5us", "1.us", "1.2.3us", "-1us", "1e3us"] {
            assert!(
                matches!(
                    parse_duration(text),
                    Err(UnitError::NotANumber | UnitError::UnknownUnit { .. })
                ),
                "{text}"
            );
        }
        assert_eq!(
            parse_duration("10"),
            Err(UnitError::UnknownUnit {
                expected: "ns, us, ms, s"
            })
        );
        assert_eq!(
            parse_duration("10KB"),
            Err(UnitError::UnknownUnit {
                expected: "ns, us, ms, s"
            })
        );
    }

    #[test]
    fn cycles_round_to_the_nearest_picosecond() {
        let clock = NonZeroU64::new(37_000_000).unwrap();
        let (cycles, rest) = Decimal::split("203.5 cycles").unwrap();
        assert_eq!(rest, "cycles");
        // 203.5 cycles at 37 MHz take 5.5 us exactly.
        assert_eq!(cycles.cycles(clock), Ok(SimDuration::from_ps(5_500_000)));
        // One cycle at 37 MHz takes 27027.027… ps.
        assert_eq!(
            Decimal::split("1").unwrap().0.cycles(clock),
            Ok(SimDuration::from_ps(27_027))
        );
        // For any clock and count, no other number of picoseconds is nearer to the exact time of the cycles.
        for hertz in [3, 1_000_003, 37_000_000, 133_333_333, 3_000_000_000] {
            let clock = NonZeroU64::new(hertz).unwrap();
            for count in 1..=200u64 {
                let (cycles, _) = Decimal::split(&count.to_string()).unwrap();
                let shown = u128::from(cycles.cycles(clock).unwrap().as_ps()) * u128::from(hertz);
                let off = shown.abs_diff(u128::from(count) * 1_000_000_000_000);
                assert!(2 * off <= u128::from(hertz), "{count} cycles of {hertz} Hz");
            }
        }
    }
}
