//! Reads the random parts of a `[[send]]`: times, lengths and channels; and makes messages from them.

use std::sync::Arc;

use jive_embed::plain_text;
use nic_core::id::ChannelId;
use nic_core::random::Generator;
use nic_core::time::SimDuration;
use toml::Spanned;
use toml::de::DeValue;

use super::context::Context;
use super::key::Shape;
use super::keys::{GAP, LENGTH, PAYLOAD, SEND, TO, ZIPF};
use super::limits;
use super::mistake::MistakeKind;
use super::table::{self, Located, Mistakes, Table, time, wrong_type};
use crate::spec::{Gap, Gaps, Length, MadeMessage, Messages, draw_channel};
use crate::units;

/// The name that seeds a random part of a send: the part, the endpoint and the position of the send at its endpoint.
#[derive(Copy, Clone)]
pub(super) struct Owner<'n> {
    pub(super) endpoint: &'n str,
    pub(super) position: u64,
}

impl Owner<'_> {
    fn generator(self, part: &str, context: &Context) -> Generator {
        let name = [part, self.endpoint, &self.position.to_string()];
        Generator::named(context.seed(), &name)
    }
}

/// Reads the times between the messages of a send.
pub(super) fn gaps(
    send: &Table<'_>,
    every: SimDuration,
    owner: Owner<'_>,
    context: &mut Context,
) -> Option<Gaps> {
    let value = SEND.gap.raw(send, context.mistakes())?;
    let table = Table::of_value(value, GAP.section, context.mistakes())?;
    let given = GAP.section.one_of.iter();
    let given = given.filter(|key| table.value(key).is_some());
    if given.count() != 1 {
        let known = GAP.section.one_of;
        let kind = MistakeKind::OneOf { known };
        context.mistakes().add(value.span(), kind);
        return None;
    }
    let mistakes = context.mistakes();
    let (on, off) = (GAP.on.name, GAP.off.name);
    for (key, partner) in [(on, off), (off, on)] {
        if table.value(key).is_some() && table.value(partner).is_none() {
            mistakes.add(value.span(), MistakeKind::NeedsPartner { key, partner });
            return None;
        }
    }
    let (on, off) = (
        GAP.on.given(&table, mistakes),
        GAP.off.given(&table, mistakes),
    );
    if on.is_none()
        && let Some(every) = SEND.every.raw(send, mistakes)
    {
        let (key, of) = (SEND.every.name, SEND.gap.name);
        mistakes.add(every.span(), MistakeKind::Excluded { key, of });
    }
    let gap = match (on, off) {
        (Some(on), Some(_)) if every == SimDuration::ZERO || on.value < every => {
            mistakes.add(on.span, MistakeKind::ShortBursts);
            None
        }
        (Some(on), Some(off)) => Some(Gap::Bursts {
            every,
            on: on.value,
            off: off.value,
        }),
        (Some(_), None) | (None, Some(_)) => None,
        (None, None) => plain_gap(&table, context),
    };
    Some(Gaps::new(gap?, owner.generator("gap", context)))
}

/// Reads times that do not depend on `every`.
fn plain_gap(table: &Table<'_>, context: &mut Context) -> Option<Gap> {
    let mistakes = context.mistakes();
    if let Some(Located { value: mean, span }) = GAP.poisson.given(table, mistakes) {
        let key = GAP.poisson.name;
        let read = match mean {
            SimDuration::ZERO => Err(MistakeKind::NotAGap { key }),
            mean => Ok(Gap::Poisson(mean)),
        };
        return mistakes.note(span, read);
    }
    if let Some(ends) = GAP.uniform.with(table, uniform, mistakes) {
        return Some(Gap::Uniform(ends.value.0, ends.value.1));
    }
    let Located { value: name, span } = GAP.trace.given(table, mistakes)?;
    let times = context.sent_file(&name, limits::GAPS_BYTES_MAX);
    let times = times.and_then(|bytes| trace(&bytes));
    context.mistakes().note(span, times).map(Gap::Trace)
}

/// Reads the ends of a uniform distribution of times, of which the first is not above the second.
fn uniform(value: &DeValue<'_>) -> Result<(SimDuration, SimDuration), MistakeKind> {
    let key = GAP.uniform.name;
    let [least, most] = pair("two times", value, MistakeKind::NotAGap { key })?;
    let (least, most) = (time(least.get_ref())?, time(most.get_ref())?);
    match least <= most && most > SimDuration::ZERO {
        true => Ok((least, most)),
        false => Err(MistakeKind::NotAGap { key }),
    }
}

fn pair<'t>(
    expected: &'static str,
    value: &'t DeValue<'t>,
    wrong: MistakeKind,
) -> Result<[&'t Spanned<DeValue<'t>>; 2], MistakeKind> {
    match value {
        DeValue::Array(ends) => match &ends[..] {
            [least, most] => Ok([least, most]),
            _ => Err(wrong),
        },
        other => Err(wrong_type(expected, other)),
    }
}

/// Reads the lines of a file with times.
fn trace(bytes: &[u8]) -> Result<Arc<[SimDuration]>, MistakeKind> {
    let text = plain_text::plain(bytes).map_err(|_| MistakeKind::NotATime { line: 1 })?;
    let mut times = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let read = match line.ends_with(|last: char| last.is_ascii_digit()) {
            true => units::parse_duration(&format!("{line}s")),
            false => units::parse_duration(line),
        };
        let time = read.map_err(|_| MistakeKind::NotATime { line: number })?;
        times.push(time);
    }
    match times.is_empty() {
        true => Err(MistakeKind::NotATime { line: 1 }),
        false => Ok(times.into()),
    }
}

/// Reads the lengths of the messages of a send.
fn length(send: &Table<'_>, mistakes: &mut Mistakes) -> Option<Located<Length>> {
    let value = SEND.length.raw(send, mistakes)?;
    let table = Table::of_value(value, LENGTH.section, mistakes)?;
    let known = LENGTH.section.one_of;
    let given = known.iter().filter(|key| table.value(key).is_some());
    if given.count() != 1 {
        mistakes.add(value.span(), MistakeKind::OneOf { known });
        return None;
    }
    if let Some(length) = LENGTH.uniform.with(&table, uniform_length, mistakes) {
        return Some(length);
    }
    if let Some(length) = LENGTH.choices.with(&table, choices, mistakes) {
        return Some(length);
    }
    let value = LENGTH.zipf.raw(&table, mistakes)?;
    let zipf = Table::of_value(value, ZIPF.section, mistakes)?;
    let least = ZIPF.from.get(&zipf, mistakes);
    let most = ZIPF.to.given(&zipf, mistakes)?.value;
    let exponent = ZIPF.exponent.with(&zipf, positive, mistakes)?.value;
    let key = LENGTH.zipf.name;
    let fits = most.saturating_sub(least) < limits::LENGTHS_MAX;
    let ends = u32::try_from(least).ok().zip(u32::try_from(most).ok());
    let length = ends.filter(|_| fits);
    let length = length.and_then(|(least, most)| Length::zipf(least, most, exponent));
    let value = mistakes.note(value.span(), length.ok_or(not_a_length(key)))?;
    Some(Located {
        value,
        span: zipf.span,
    })
}

fn not_a_length(key: &'static str) -> MistakeKind {
    MistakeKind::NotALength {
        key,
        limit: limits::LENGTHS_MAX,
    }
}

/// Reads a length of at most 32 bits.
fn bytes(number: u64, key: &'static str) -> Result<u32, MistakeKind> {
    u32::try_from(number).map_err(|_| not_a_length(key))
}

fn uniform_length(value: &DeValue<'_>) -> Result<Length, MistakeKind> {
    let key = LENGTH.uniform.name;
    let [least, most] = pair("two lengths", value, not_a_length(key))?;
    let least = bytes(table::integer(least.get_ref())?, key)?;
    let most = bytes(table::integer(most.get_ref())?, key)?;
    match least <= most {
        true => Ok(Length::Uniform(least, most)),
        false => Err(not_a_length(key)),
    }
}

fn choices(value: &DeValue<'_>) -> Result<Length, MistakeKind> {
    let key = LENGTH.choices.name;
    let DeValue::Table(table) = value else {
        return Err(wrong_type("a table of lengths and weights", value));
    };
    if table.len() as u64 > limits::LENGTHS_MAX {
        return Err(not_a_length(key));
    }
    let mut weights = Vec::new();
    for (length, weight) in table.iter() {
        let length = length.get_ref().parse().map_err(|_| not_a_length(key))?;
        weights.push((bytes(length, key)?, positive(weight.get_ref())?));
    }
    Length::weighted(&weights).ok_or(not_a_length(key))
}

/// Reads a number above 0.
fn positive(value: &DeValue<'_>) -> Result<f64, MistakeKind> {
    let digits = match value {
        DeValue::Float(float) => float.as_str(),
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
        other => return Err(wrong_type("a number above 0", other)),
    };
    match digits.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        Ok(_) | Err(_) => Err(wrong_type("a number above 0", value)),
    }
}

/// Reads the number by which an endpoint names a channel.
pub(super) fn channel_number(value: &DeValue<'_>) -> Result<ChannelId, MistakeKind> {
    let number = SEND.channel.shape.read("a channel number", value)?;
    let number = i32::try_from(number).expect("the range of a channel number has 31 bits");
    Ok(ChannelId(number))
}

/// Reads the channels of a send: `channel`, or those of `to`.
pub(super) fn channels(send: &Table<'_>, mistakes: &mut Mistakes) -> Option<Vec<ChannelId>> {
    let Some(value) = SEND.to.raw(send, mistakes) else {
        if send.value(SEND.channel.name).is_none() {
            _ = send.need(SEND.channel.name, mistakes);
            return None;
        }
        let channel = SEND.channel.with(send, channel_number, mistakes)?;
        return Some(vec![channel.value]);
    };
    if let Some(channel) = SEND.channel.raw(send, mistakes) {
        let (key, of) = (SEND.channel.name, SEND.to.name);
        mistakes.add(channel.span(), MistakeKind::Excluded { key, of });
    }
    let table = Table::of_value(value, TO.section, mistakes)?;
    let channels = |value: &DeValue<'_>| match value {
        DeValue::Array(channels) => {
            let channels = channels.iter().map(|one| channel_number(one.get_ref()));
            channels.collect::<Result<Vec<_>, _>>()
        }
        other => Err(wrong_type("a list of channels", other)),
    };
    let channels = TO.uniform.with(&table, channels, mistakes)?;
    if channels.value.is_empty() {
        let kind = wrong_type("a channel at least", value.get_ref());
        mistakes.add(channels.span, kind);
        return None;
    }
    Some(channels.value)
}

/// The parts of a send that need a message to be made when the one before has been posted.
pub(super) struct Parts {
    pub(super) length: Option<Located<Length>>,
    pub(super) outstanding: Option<u64>,
    pub(super) has_to: bool,
}

impl Parts {
    /// Reads the parts, and reports the keys that they exclude.
    pub(super) fn read(send: &Table<'_>, mistakes: &mut Mistakes) -> Option<Parts> {
        let parts = [
            (SEND.length.name, send.value(SEND.length.name).is_some()),
            (SEND.to.name, send.value(SEND.to.name).is_some()),
            (
                SEND.outstanding.name,
                send.value(SEND.outstanding.name).is_some(),
            ),
        ];
        let (of, _) = parts.into_iter().find(|(_, is_given)| *is_given)?;
        let mut exclude = |key: &'static str, of| {
            if let Some(value) = send.value(key) {
                mistakes.add(value.span(), MistakeKind::Excluded { key, of });
            }
        };
        for key in [SEND.tag.name, SEND.immediate.name, SEND.segments.name] {
            exclude(key, of);
        }
        if parts[2].1 {
            exclude(SEND.every.name, SEND.outstanding.name);
            exclude(SEND.gap.name, SEND.outstanding.name);
        }
        if let Some(payload) = send.value(SEND.payload.name)
            && let DeValue::Table(table) = payload.get_ref()
        {
            for key in [PAYLOAD.pcap.name, PAYLOAD.capsule.name] {
                if table.contains_key(key) {
                    mistakes.add(payload.span(), MistakeKind::Excluded { key: of, of: key });
                }
            }
        }
        Some(Parts {
            length: length(send, mistakes),
            outstanding: SEND.outstanding.given(send, mistakes).map(|it| it.value),
            has_to: parts[1].1,
        })
    }
}

/// Messages that are drawn: each is the beginning of a payload.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    payload: Arc<[u8]>,
    length: Option<(Length, Generator)>,
    channels: Vec<ChannelId>,
    /// The random numbers of the channels, if there are several.
    to: Option<Generator>,
    every: SimDuration,
    gaps: Option<Gaps>,
    repeat: u64,
}

impl Drawn {
    pub(super) fn new(
        payload: Vec<u8>,
        (parts, channels): (&Parts, Vec<ChannelId>),
        (every, gaps, repeat): (SimDuration, Option<Gaps>, u64),
        (owner, context): (Owner<'_>, &Context),
    ) -> Drawn {
        let length = parts.length.as_ref();
        Drawn {
            payload: payload.into(),
            length: length.map(|it| (it.value.clone(), owner.generator("length", context))),
            to: parts.has_to.then(|| owner.generator("to", context)),
            channels,
            every,
            gaps,
            repeat,
        }
    }
}

impl Messages for Drawn {
    fn open(&self) -> Box<dyn Iterator<Item = MadeMessage> + Send> {
        let mut drawn = self.clone();
        let mut after = SimDuration::ZERO;
        Box::new((0..self.repeat).map(move |number| {
            if number > 0 {
                let gap = drawn.gaps.as_mut().map_or(drawn.every, Gaps::draw);
                after += gap;
            }
            let channels = &drawn.channels;
            let to = drawn.to.as_mut();
            let channel = to.and_then(|generator| draw_channel(channels, generator));
            let whole = drawn.payload.len();
            let length = match &mut drawn.length {
                Some((length, generator)) => (length.draw(generator) as usize).min(whole),
                None => whole,
            };
            MadeMessage {
                after,
                channel,
                bytes: drawn.payload[..length].to_vec(),
            }
        }))
    }
}
