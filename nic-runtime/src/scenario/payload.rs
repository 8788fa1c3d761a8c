//! The bytes of a message, in the forms that a scenario may give them.

use toml::de::DeValue;

use super::context::Context;
use super::limits;
use super::mistake::MistakeKind;
use super::table::{self, Located, Table};
use crate::random::Generator;

/// Makes a payload's bytes from the value behind its form's key; the texts name its owner.
type Form = fn(&Context<'_>, &DeValue<'_>, [&str; 3]) -> Result<Vec<u8>, MistakeKind>;

/// The forms: exactly one of these keys stands in a payload.
const FORMS: [(&str, Form); 6] = [
    ("text", |_, value, _| {
        Ok(table::text(value)?.as_bytes().to_vec())
    }),
    ("hex", |_, value, _| hex(table::text(value)?)),
    ("zeros", |_, value, _| Ok(vec![0; length(value)?])),
    // After 255 the count starts from 0 again.
    ("count", |_, value, _| {
        Ok((0..length(value)?).map(|index| index as u8).collect())
    }),
    ("random", |context, value, owner| {
        let mut bytes = vec![0; length(value)?];
        Generator::named(context.seed(), &owner).fill(&mut bytes);
        Ok(bytes)
    }),
    ("file", |context, value, _| {
        context.file(table::text(value)?, limits::PAYLOADS_TOTAL_MAX)
    }),
];

pub(super) const KEYS: [&str; FORMS.len()] = table::keys(&FORMS);

/// Reads a payload. Random bytes depend on the scenario's seed and on `owner` alone, so that no other
/// line of the file changes them.
pub(super) fn read<'t>(
    context: &mut Context<'_>,
    value: &'t toml::Spanned<DeValue<'t>>,
    owner: [&str; 3],
) -> Option<Located<Vec<u8>>> {
    let form = Table::of_value(value, "a payload", &KEYS, context.mistakes())?;
    let mut given = FORMS
        .iter()
        .filter_map(|(key, make)| form.value(key).map(|raw| (make, raw)));
    let (Some((make, raw)), None) = (given.next(), given.next()) else {
        let kind = MistakeKind::PayloadForm { known: &KEYS };
        context.mistakes().add(value.span(), kind);
        return None;
    };
    let bytes = make(context, raw.get_ref(), owner);
    let value = context.mistakes().note(raw.span(), bytes)?;
    let span = raw.span().into();
    if !context.take_payload_bytes(value.len() as u64, span) {
        return None;
    }
    Some(Located { value, span })
}

/// Reads a length before that many bytes are made.
fn length(value: &DeValue<'_>) -> Result<usize, MistakeKind> {
    let length = table::size(value)?;
    if length > limits::PAYLOADS_TOTAL_MAX {
        return Err(MistakeKind::OutOfRange {
            what: "the length of a payload",
            minimum: 0,
            maximum: limits::PAYLOADS_TOTAL_MAX,
        });
    }
    Ok(usize::try_from(length).expect("the limit fits in usize"))
}

fn hex(text: &str) -> Result<Vec<u8>, MistakeKind> {
    let digit = |byte: u8| char::from(byte).to_digit(16).ok_or(MistakeKind::Hex);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return Err(MistakeKind::Hex);
    }
    // Each digit is below 16, so a pair of them fits in a byte.
    pairs
        .iter()
        .map(|[high, low]| Ok((digit(*high)? << 4 | digit(*low)?) as u8))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_pairs_of_digits() {
        assert_eq!(hex("00fFa5"), Ok(vec![0x00, 0xff, 0xa5]));
        assert_eq!(hex(""), Ok(vec![]));
        for text in ["0", "0g", "00 ff", "é0", "+f"] {
            assert_eq!(hex(text), Err(MistakeKind::Hex), "{text:?}");
        }
    }
}
