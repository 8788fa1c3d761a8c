//! Reads payloads: the bytes of a message, in the forms that a scenario may use.

use nic_core::random::Generator;
use nic_core::sle::{FragmentHeader, checksum};
use nic_core::time::SimDuration;
use toml::de::DeValue;

use super::capture::{CaptureFile, CapturedPacket, Cut, Gathered};
use super::context::Context;
use super::keys::{NOT_EXPECTED, PAYLOAD, Pace};
use super::limits;
use super::mistake::MistakeKind;
use super::table::{self, Located, Table};
use crate::spec::CaptureCounts;

/// The payload of a send.
pub(super) enum Payload {
    /// One message.
    Message(Vec<u8>),
    /// The packets of a capture, or of a capsule; each is a message.
    Capture(Vec<CapturedPacket>),
    /// A class file, to be cut into the fragments of a capsule.
    Class(Vec<u8>),
    /// A capture that is read again when its packets are due, since it is too long to hold.
    Replay(CaptureFile),
}

/// The payload of a send, and what was found in the capture if it has one.
pub(super) struct Read {
    pub(super) payload: Payload,
    pub(super) capture: Option<Found>,
}

/// What was found in a capture.
#[derive(Copy, Clone)]
pub(super) struct Found {
    pub(super) counts: CaptureCounts,
    /// The length of the longest packet.
    pub(super) longest: u64,
    /// The time from the first packet to the last.
    pub(super) lasts: SimDuration,
}

/// Makes a payload from the value of a form's key. The three strings name the payload's owner, whose name seeds random
/// bytes.
type Form = fn(&mut Context, &DeValue<'_>, [&str; 3]) -> Result<Payload, MistakeKind>;

/// The key of the form that is read apart, because its reader needs the keys beside it.
const CAPTURE: &str = PAYLOAD.pcap.name;

/// The forms of payloads but [`CAPTURE`], by their keys; a payload has exactly one key of a form.
static FORMS: [(&str, Form); 7] = [
    (PAYLOAD.text.name, |_, value, _| {
        Ok(Payload::Message(table::text(value)?.as_bytes().to_vec()))
    }),
    (PAYLOAD.hex.name, |_, value, _| {
        Ok(Payload::Message(hex(table::text(value)?)?))
    }),
    (PAYLOAD.zeros.name, |context, value, _| {
        Ok(Payload::Message(vec![0; length(context, value)?]))
    }),
    // The cast with `as` wraps, so that byte 0 follows byte 255.
    (PAYLOAD.count.name, |context, value, _| {
        let bytes = (0..length(context, value)?).map(|index| index as u8);
        Ok(Payload::Message(bytes.collect()))
    }),
    (PAYLOAD.random.name, |context, value, owner| {
        let mut bytes = vec![0; length(context, value)?];
        Generator::named(context.seed(), &owner).fill(&mut bytes);
        Ok(Payload::Message(bytes))
    }),
    (PAYLOAD.file.name, |context, value, _| {
        let bytes = context.sent_file(table::text(value)?, limits::PAYLOADS_TOTAL_MAX)?;
        Ok(Payload::Message(bytes))
    }),
    (PAYLOAD.capsule.name, |context, value, _| {
        Ok(Payload::Class(context.sent_class(table::text(value)?)?))
    }),
];

/// The keys that a form may have in addition to its own key, each with its form.
static BESIDE: [(&str, &str); 4] = [
    (PAYLOAD.cut.name, PAYLOAD.pcap.name),
    (PAYLOAD.pace.name, PAYLOAD.pcap.name),
    (PAYLOAD.number.name, PAYLOAD.capsule.name),
    (PAYLOAD.fragment.name, PAYLOAD.capsule.name),
];

/// Reads a payload. Random bytes depend only on the scenario's seed and on `owner`, so other lines of the scenario file
/// do not change these bytes.
pub(super) fn read<'t>(
    context: &mut Context,
    value: &'t toml::Spanned<DeValue<'t>>,
    owner: [&str; 3],
) -> Option<Located<Read>> {
    let mistakes_before = context.mistakes().len();
    let form = Table::of_value(value, PAYLOAD.section, context.mistakes())?;
    let has_unknown_key = context.mistakes().len() > mistakes_before;
    let pace = PAYLOAD.pace.get(&form, context.mistakes());
    for &(key, partner) in &BESIDE {
        if form.value(key).is_some() && form.value(partner).is_none() {
            let kind = MistakeKind::NeedsPartner { key, partner };
            context.mistakes().add(value.span(), kind);
        }
    }
    let cut = PAYLOAD.cut.get(&form, context.mistakes());
    let forms = FORMS.iter().map(|(key, make)| (*key, Some(*make)));
    let mut given = forms
        .chain([(CAPTURE, None)])
        .filter_map(|(key, make)| form.value(key).map(|raw| (make, raw)));
    let (Some((make, raw)), None) = (given.next(), given.next()) else {
        // A misspelt form has already been reported as an unknown key.
        if !has_unknown_key {
            let kind = MistakeKind::OneOf {
                known: PAYLOAD.section.one_of,
            };
            context.mistakes().add(value.span(), kind);
        }
        return None;
    };
    let span = raw.span().into();
    let made = match make {
        Some(make) => make(context, raw.get_ref(), owner).map(Read::of),
        None => capture(context, raw.get_ref(), cut, pace),
    };
    let mut read = context.mistakes().note(raw.span(), made)?;
    if let Payload::Class(class) = &read.payload {
        read.payload = Payload::Capture(fragments(class, &form, context));
    }
    if !context.take_payload_bytes(read.payload.length(), span) {
        return None;
    }
    Some(Located { value: read, span })
}

impl Read {
    fn of(payload: Payload) -> Read {
        Read {
            payload,
            capture: None,
        }
    }
}

/// Reads a capture, and holds its packets if they fit.
fn capture(
    context: &mut Context,
    value: &DeValue<'_>,
    cut: Cut,
    pace: Pace,
) -> Result<Read, MistakeKind> {
    let name = table::text(value)?;
    let (files, gathered) = context.sent_capture(name, cut)?;
    let Gathered {
        packets,
        sent,
        padded,
        dropped,
        longest,
        lasts,
    } = gathered;
    let is_recorded = pace == Pace::Recorded;
    let payload = match packets {
        None => Payload::Replay(CaptureFile {
            files,
            name: name.to_owned(),
            cut,
            is_recorded,
        }),
        Some(mut packets) => {
            if !is_recorded {
                for packet in &mut packets {
                    packet.after = SimDuration::ZERO;
                }
            }
            Payload::Capture(packets)
        }
    };
    let counts = CaptureCounts {
        send: 0,
        sent,
        padded,
        dropped,
    };
    let lasts = if is_recorded {
        lasts
    } else {
        SimDuration::ZERO
    };
    let capture = Some(Found {
        counts,
        longest,
        lasts,
    });
    Ok(Read { payload, capture })
}

/// The forms of an expected payload, which cannot be random, because random bytes depend on the sender.
const RECEIVED: [&str; 7] = ["text", "hex", "zeros", "count", "file", "pcap", "capsule"];

/// Reads an expected payload, or a list of expected payloads. A capture gives one expected payload for each packet.
pub(super) fn read_expected<'t>(
    context: &mut Context,
    value: &'t toml::Spanned<DeValue<'t>>,
) -> Option<Vec<Vec<u8>>> {
    let DeValue::Array(list) = value.get_ref() else {
        return read_one_expected(context, value);
    };
    if list.is_empty() {
        let kind = MistakeKind::OneOf { known: &RECEIVED };
        context.mistakes().add(value.span(), kind);
        return None;
    }
    // Read all expected payloads before stopping at an invalid one, so that every mistake is reported.
    let payloads = list.iter().map(|value| read_one_expected(context, value));
    let payloads = payloads.collect::<Vec<_>>().into_iter();
    Some(payloads.collect::<Option<Vec<_>>>()?.concat())
}

fn read_one_expected<'t>(
    context: &mut Context,
    value: &'t toml::Spanned<DeValue<'t>>,
) -> Option<Vec<Vec<u8>>> {
    if let DeValue::Table(table) = value.get_ref() {
        for key in NOT_EXPECTED {
            if let Some((key, _)) = table.get_key_value(key) {
                let kind = MistakeKind::OneOf { known: &RECEIVED };
                context.mistakes().add(key.span(), kind);
                return None;
            }
        }
    }
    let payload = read(context, value, ["expect", "", ""])?;
    let Some(messages) = payload.value.payload.into_messages() else {
        context.mistakes().add(payload.span, too_many());
        return None;
    };
    Some(messages.into_iter().map(|message| message.bytes).collect())
}

impl Payload {
    /// Returns the total length of the payload's messages that are held.
    pub(super) fn length(&self) -> u64 {
        match self {
            Payload::Message(bytes) | Payload::Class(bytes) => bytes.len() as u64,
            Payload::Capture(packets) => {
                packets.iter().map(|packet| packet.bytes.len() as u64).sum()
            }
            Payload::Replay(_) => 0,
        }
    }

    /// Returns the payload's messages, each with its time after the first message, unless they are not held.
    pub(super) fn into_messages(self) -> Option<Vec<CapturedPacket>> {
        match self {
            Payload::Message(bytes) | Payload::Class(bytes) => Some(vec![CapturedPacket {
                after: SimDuration::ZERO,
                bytes,
            }]),
            Payload::Capture(packets) => Some(packets),
            Payload::Replay(_) => None,
        }
    }
}

/// Returns the mistake of a send whose messages are too many to hold.
pub(super) fn too_many() -> MistakeKind {
    MistakeKind::TooMany {
        what: "messages of sends and captures",
        limit: limits::SENDS_MAX as u64,
    }
}

/// Cuts a class file into the fragments of a capsule, all to be sent as fast as the user can.
fn fragments(class: &[u8], form: &Table<'_>, context: &mut Context) -> Vec<CapturedPacket> {
    let mistakes = context.mistakes();
    let number = PAYLOAD.number.get(form, mistakes);
    let length = PAYLOAD.fragment.get(form, mistakes);
    let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let (number, total) = (narrow(number), narrow(class.len() as u64));
    let checksum = checksum(class);
    let starts = (0..total).step_by(narrow(length) as usize);
    let pieces = starts.zip(class.chunks(narrow(length) as usize));
    let fragment = |(offset, piece): (u32, &[u8])| {
        let header = FragmentHeader {
            number,
            total,
            offset,
            checksum,
        };
        CapturedPacket {
            after: SimDuration::ZERO,
            bytes: [&header.to_bytes()[..], piece].concat(),
        }
    };
    pieces.map(fragment).collect()
}

/// Reads the length of a payload, and checks it before memory is allocated for the payload.
fn length(context: &Context, value: &DeValue<'_>) -> Result<usize, MistakeKind> {
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
    // Each hexadecimal digit is below 16, so a pair of digits fits in a byte.
    pairs
        .iter()
        .map(|[high, low]| Ok((digit(*high)? << 4 | digit(*low)?) as u8))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_but_random_bytes_can_be_expected() {
        let forms = PAYLOAD.section.one_of.iter().copied();
        let received = forms.clone().filter(|form| *form != "random");
        assert_eq!(received.collect::<Vec<_>>(), RECEIVED);
        let mut made: Vec<_> = FORMS.iter().map(|(name, _)| *name).collect();
        made.push(CAPTURE);
        let mut forms: Vec<_> = forms.collect();
        made.sort_unstable();
        forms.sort_unstable();
        assert_eq!(made, forms);
    }

    #[test]
    fn hex_is_pairs_of_digits() {
        assert_eq!(hex("00fFa5"), Ok(vec![0x00, 0xff, 0xa5]));
        assert_eq!(hex(""), Ok(vec![]));
        for text in ["0", "0g", "00 ff", "é0", "+f"] {
            assert_eq!(hex(text), Err(MistakeKind::Hex), "{text:?}");
        }
    }
}
