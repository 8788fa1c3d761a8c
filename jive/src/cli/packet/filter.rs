//! Which packets of a capture count: conditions on their length and on their bytes.

use std::str::FromStr;

/// Maximum number of bytes that a condition compares.
const COMPARED_MAX: usize = 64;

/// A condition on a packet: `len>=60`, or `12:2=0800` for the two bytes from offset 12 on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Condition {
    /// The packet's length must compare to a number as the comparison says.
    Length(Comparison, u64),
    /// The packet's bytes from an offset on must equal, or not equal, these bytes. A packet that ends before the
    /// compared bytes does not have these bytes.
    Bytes {
        offset: usize,
        bytes: Vec<u8>,
        /// Whether the packets that have these bytes count, or the packets that do not have them.
        equal: bool,
    },
}

/// How a length compares to a number.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The comparisons as the user writes them; `<=` precedes `<`, with which it begins, and `>=` precedes `>`.
const COMPARISONS: [(&str, Comparison); 6] = [
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::LessOrEqual),
    (">=", Comparison::GreaterOrEqual),
    ("=", Comparison::Equal),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

impl Condition {
    /// Returns whether a packet meets the condition.
    pub(in crate::cli) fn holds(&self, packet: &[u8]) -> bool {
        match self {
            Condition::Length(comparison, number) => {
                let length = packet.len() as u64;
                match comparison {
                    Comparison::Equal => length == *number,
                    Comparison::NotEqual => length != *number,
                    Comparison::Less => length < *number,
                    Comparison::LessOrEqual => length <= *number,
                    Comparison::Greater => length > *number,
                    Comparison::GreaterOrEqual => length >= *number,
                }
            }
            Condition::Bytes {
                offset,
                bytes,
                equal,
            } => {
                let found = packet
                    .get(*offset..)
                    .and_then(|rest| rest.get(..bytes.len()));
                (found == Some(bytes)) == *equal
            }
        }
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        read(text).ok_or_else(|| {
            "expected `len` and a number, as in `len>=60`, or an offset, a count and as many bytes, as in \
             `12:2=0800`; the comparisons of bytes are `=` and `!=`"
                .to_owned()
        })
    }
}

fn read(text: &str) -> Option<Condition> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix("len") {
        let rest = rest.trim_start();
        let found = COMPARISONS
            .iter()
            .find(|(written, _)| rest.starts_with(written));
        let (written, comparison) = found?;
        let number = rest.strip_prefix(written)?.trim();
        return Some(Condition::Length(*comparison, number.parse().ok()?));
    }
    let (place, digits, equal) = match text.split_once("!=") {
        Some((place, digits)) => (place, digits, false),
        None => {
            let (place, digits) = text.split_once('=')?;
            (place, digits, true)
        }
    };
    let (offset, count) = place.split_once(':')?;
    let (offset, count): (usize, usize) = (offset.trim().parse().ok()?, count.trim().parse().ok()?);
    let digits = digits.trim().as_bytes();
    let (pairs, rest) = digits.as_chunks::<2>();
    if !rest.is_empty() || pairs.len() != count || !(1..=COMPARED_MAX).contains(&count) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    // Each digit is below 16, so a pair of them fits in a byte.
    let bytes = pairs
        .iter()
        .map(|[high, low]| Some((digit(*high)? << 4 | digit(*low)?) as u8));
    Some(Condition::Bytes {
        offset,
        bytes: bytes.collect::<Option<_>>()?,
        equal,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_compare_lengths_and_bytes() {
        let holds =
            |text: &str, packet: &[u8]| text.parse::<Condition>().expect(text).holds(packet);
        let four = [1, 2, 3, 4];
        let right = ["len=4", "len != 3", "len<5", "len<=4", "len>3", "len >= 4"];
        assert!(right.iter().all(|text| holds(text, &four)));
        let wrong = ["len=3", "len!=4", "len<4", "len<=3", "len>4", "len>=5"];
        assert!(!wrong.iter().any(|text| holds(text, &four)));
        assert!(holds("1:2=0203", &four) && holds("3:1=04", &four) && holds("0:1!=02", &four));
        assert!(!holds("1:2=0204", &four) && !holds("0:1!=01", &four));
        // A packet has no bytes after its end, so no comparison with bytes after the end is equal.
        assert!(!holds("3:2=0405", &four) && holds("3:2!=0405", &four) && !holds("9:1=00", &four));
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for text in [
            "", "len", "len>", "len>x", "12=08", "12:2=08", "12:0=", "a:1=00", "1:1=0g", "1:1<00",
        ] {
            assert!(text.parse::<Condition>().is_err(), "{text:?}");
        }
        assert!(
            format!("0:65={}", "00".repeat(65))
                .parse::<Condition>()
                .is_err()
        );
    }
}
