//! The bytes of a message, in the forms that a scenario may give them.

use nic_core::random::Generator;
use nic_core::time::SimDuration;
use toml::de::DeValue;

use super::capture::{self, CapturedPacket};
use super::context::Context;
use super::limits;
use super::mistake::MistakeKind;
use super::table::{self, Located, Table, choice};

/// What a send sends.
pub(super) enum Payload {
    /// One message.
    Message(Vec<u8>),
    /// The packets of a capture, one message each.
    Capture(Vec<CapturedPacket>),
}

/// Makes a payload from the value behind its form's key; the texts name its owner.
type Form = fn(&mut Context<'_>, &DeValue<'_>, [&str; 3]) -> Result<Payload, MistakeKind>;

/// The forms: exactly one of these keys stands in a payload.
const FORMS: [(&str, Form); 7] = [
    ("text", |_, value, _| {
        Ok(Payload::Message(table::text(value)?.as_bytes().to_vec()))
    }),
    ("hex", |_, value, _| {
        Ok(Payload::Message(hex(table::text(value)?)?))
    }),
    ("zeros", |context, value, _| {
        Ok(Payload::Message(vec![0; length(context, value)?]))
    }),
    // After 255 the count starts from 0 again.
    ("count", |context, value, _| {
        let bytes = (0..length(context, value)?).map(|index| index as u8);
        Ok(Payload::Message(bytes.collect()))
    }),
    ("random", |context, value, owner| {
        let mut bytes = vec![0; length(context, value)?];
        Generator::named(context.seed(), &owner).fill(&mut bytes);
        Ok(Payload::Message(bytes))
    }),
    ("file", |context, value, _| {
        let bytes = context.sent_file(table::text(value)?, limits::PAYLOADS_TOTAL_MAX)?;
        Ok(Payload::Message(bytes))
    }),
    (PCAP, |context, value, _| {
        let bytes = context.sent_file(table::text(value)?, limits::CAPTURE_BYTES_MAX)?;
        let packets = capture::read(&bytes).map_err(MistakeKind::Capture)?;
        Ok(Payload::Capture(packets))
    }),
];
const FORM_NAMES: [&str; FORMS.len()] = table::keys(&FORMS);

const PCAP: &str = "pcap";
const PACE: &str = "pace";

/// The keys of a payload: a form's, and how fast a capture is replayed.
pub(super) const KEYS: [&str; FORMS.len() + 1] = {
    let mut keys = [PACE; FORMS.len() + 1];
    let mut index = 0;
    while index < FORM_NAMES.len() {
        keys[index] = FORM_NAMES[index];
        index += 1;
    }
    keys
};

/// How fast the packets of a capture follow each other.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Pace {
    /// As they did when they were captured.
    Recorded,
    /// As fast as the user can post them.
    BackToBack,
}

const PACES: [(&str, Pace); 2] = [
    ("recorded", Pace::Recorded),
    ("back-to-back", Pace::BackToBack),
];
const PACE_NAMES: [&str; PACES.len()] = table::keys(&PACES);

/// Reads a payload. Random bytes depend on the scenario's seed and on `owner` alone, so that no other
/// line of the file changes them.
pub(super) fn read<'t>(
    context: &mut Context<'_>,
    value: &'t toml::Spanned<DeValue<'t>>,
    owner: [&str; 3],
) -> Option<Located<Payload>> {
    let form = Table::of_value(value, "a payload", &KEYS, context.mistakes())?;
    let pace = choice(&form, PACE, &PACES, &PACE_NAMES, context.mistakes());
    if form.value(PACE).is_some() && form.value(PCAP).is_none() {
        let kind = MistakeKind::NeedsPartner {
            key: PACE,
            partner: PCAP,
        };
        context.mistakes().add(value.span(), kind);
    }
    let mut given = FORMS
        .iter()
        .filter_map(|(key, make)| form.value(key).map(|raw| (make, raw)));
    let (Some((make, raw)), None) = (given.next(), given.next()) else {
        let kind = MistakeKind::PayloadForm { known: &FORM_NAMES };
        context.mistakes().add(value.span(), kind);
        return None;
    };
    let made = make(context, raw.get_ref(), owner);
    let mut payload = context.mistakes().note(raw.span(), made)?;
    let span = raw.span().into();
    if let (Payload::Capture(packets), Some(Pace::BackToBack)) = (&mut payload, pace) {
        for packet in packets {
            packet.after = SimDuration::ZERO;
        }
    }
    if !context.take_payload_bytes(payload.length(), span) {
        return None;
    }
    Some(Located {
        value: payload,
        span,
    })
}

impl Payload {
    /// Returns the bytes of all its messages.
    fn length(&self) -> u64 {
        match self {
            Payload::Message(bytes) => bytes.len() as u64,
            Payload::Capture(packets) => {
                packets.iter().map(|packet| packet.bytes.len() as u64).sum()
            }
        }
    }

    /// Returns its messages, and how long after the first each is sent.
    pub(super) fn into_messages(self) -> Vec<CapturedPacket> {
        match self {
            Payload::Message(bytes) => vec![CapturedPacket {
                after: SimDuration::ZERO,
                bytes,
            }],
            Payload::Capture(packets) => packets,
        }
    }
}

/// Reads a length before that many bytes are made.
fn length(context: &Context<'_>, value: &DeValue<'_>) -> Result<usize, MistakeKind> {
    let length = table::size(value)?;
    if length > limits::PAYLOADS_TOTAL_MAX {
        return Err(MistakeKind::OutOfRange {
            what: "the length of a payload",
            minimum: 0,
            maximum: limits::PAYLOADS_TOTAL_MAX,
        });
    }
    context.check_payload_room(length)?;
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
