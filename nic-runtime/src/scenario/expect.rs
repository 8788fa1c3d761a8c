//! What a scenario expects of its run: `[[expect]]`.

use std::collections::BTreeMap;

use jive_core::{FieldId, TrapKind};
use nic_core::event::{DropReason, WireDropReason};
use nic_core::id::{ChannelId, EndpointId};
use toml::Spanned;
use toml::de::DeValue;

use super::context::Context;
use super::endpoints::Endpoints;
use super::field::{self, ClassFields, FieldKind, FieldValue};
use super::limits;
use super::mistake::{MistakeKind, Span, closest};
use super::payload;
use super::table::{self, Mistakes, Table, choice, keys};
use super::traffic::channel_number;

pub(super) const EXPECT_KEYS: &[&str] = &[
    "endpoint", "channel", "payload", "order", "repeat", "count", "drops", "traps", "trap",
    "field", "value",
];

/// The keys of which each expectation has one: what is expected.
const SUBJECTS: &[&str] = &["payload", "count", "drops", "traps", "trap", "field"];

/// The keys that go with others alone.
const PARTNERS: [(&str, &[&str], &str); 4] = [
    ("channel", &["payload", "count"], "payload` or `count"),
    ("order", &["payload"], "payload"),
    ("repeat", &["payload"], "payload"),
    ("value", &["field"], "field"),
];

const ORDERS: [(&str, Order); 2] = [("file", Order::File), ("any", Order::Any)];
const ORDER_NAMES: [&str; ORDERS.len()] = keys(&ORDERS);

/// Reasons for which packets are dropped, in `drops`.
pub(super) const REASONS: [&str; REASON_COUNT] = {
    let mut words = [""; REASON_COUNT];
    let mut index = 0;
    while index < WireDropReason::ALL.len() {
        words[index] = WireDropReason::ALL[index].word();
        index += 1;
    }
    while index < REASON_COUNT {
        words[index] = DropReason::ALL[index - WireDropReason::ALL.len()].word();
        index += 1;
    }
    words
};
const REASON_COUNT: usize = WireDropReason::ALL.len() + DropReason::ALL.len();

/// Kinds of traps, in `traps` and `trap`.
pub(super) const TRAPS: [&str; TrapKind::ALL.len()] = {
    let mut words = [""; TrapKind::ALL.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = TrapKind::ALL[index].name();
        index += 1;
    }
    words
};

/// One expectation.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// Where it stands in the file.
    pub place: Span,
    /// The endpoint that it is about; `None` for all of them together.
    pub endpoint: Option<EndpointId>,
    /// What is expected.
    pub what: Expected,
}

/// What is expected.
#[derive(Clone, Debug)]
pub enum Expected {
    /// Receive descriptors with these messages, one after the other. There is an endpoint.
    Messages {
        /// The receiver's number of the channel that they come on; `None` for any.
        channel: Option<ChannelId>,
        /// Their bytes.
        payloads: Vec<Vec<u8>>,
        /// How many times each comes.
        repeat: u64,
        /// Whether they come in the order of the file.
        order: Order,
    },
    /// This many receive descriptors.
    Count {
        /// The receiver's number of the channel that they come on; `None` for any.
        channel: Option<ChannelId>,
        /// How many.
        count: u64,
    },
    /// This many dropped packets.
    Drops(Tally),
    /// This many traps.
    Traps(Tally),
    /// At least one trap of this kind.
    Trap(TrapKind),
    /// A field that holds this value when the run has ended. The endpoint has an applet whose class has the field.
    Field {
        /// Its name.
        name: String,
        /// The field.
        field: FieldId,
        /// Its type.
        kind: FieldKind,
        /// The value.
        value: FieldValue,
    },
}

/// In which order messages are expected.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// In that of the file.
    File,
    /// In any.
    Any,
}

/// How many of something are expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tally {
    /// This many in all.
    All(u64),
    /// This many of each of these kinds.
    Each(Vec<(&'static str, u64)>),
}

/// Returns whether a text has a line that begins an expectation, whether or not it is a scenario.
#[must_use]
pub fn has_expectations(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n');
    lines.any(|line| {
        let line = line.iter().filter(|byte| !byte.is_ascii_whitespace());
        line.take(b"[[expect]]".len()).eq(b"[[expect]]")
    })
}

/// Reads every `[[expect]]`.
pub(super) fn read(
    root: &Table<'_>,
    endpoints: &Endpoints<'_>,
    context: &mut Context<'_>,
) -> Vec<Expectation> {
    let limit = limits::EXPECTATIONS_MAX;
    let mistakes = context.mistakes();
    let tables = root.tables("expect", "`[[expect]]`", EXPECT_KEYS, limit, mistakes);
    let mut classes = Classes::new();
    let read = tables
        .iter()
        .filter_map(|table| expectation(table, endpoints, &mut classes, context));
    read.collect()
}

/// The fields of each class that was asked for, by its index; `None` for one that will be rejected.
type Classes = BTreeMap<usize, Option<ClassFields>>;

fn expectation(
    table: &Table<'_>,
    endpoints: &Endpoints<'_>,
    classes: &mut Classes,
    context: &mut Context<'_>,
) -> Option<Expectation> {
    let subjects = SUBJECTS.iter().filter(|key| table.value(key).is_some());
    let subjects = subjects.copied().collect::<Vec<_>>();
    let mistakes = context.mistakes();
    for (key, with, partner) in PARTNERS {
        if let Some(value) = table.value(key)
            && !with.iter().any(|key| subjects.contains(key))
        {
            mistakes.add(value.span(), MistakeKind::NeedsPartner { key, partner });
        }
    }
    let [subject] = subjects[..] else {
        mistakes.add(table.span, MistakeKind::OneOf { known: SUBJECTS });
        return None;
    };
    let is_of_one = matches!(subject, "payload" | "trap" | "field");
    let value = match is_of_one {
        true => table.need("endpoint", mistakes),
        false => table.value("endpoint"),
    };
    let endpoint = match value {
        Some(value) => Some(EndpointId(endpoints.names.find_value(value, mistakes)?)),
        None if is_of_one => return None,
        None => None,
    };
    let channel = table.optional("channel", channel_number, mistakes);
    let channel = channel.map(|channel| channel.value);
    let subject_value = table.value(subject)?;
    let what = match subject {
        "payload" => messages(table, subject_value, channel, context)?,
        "count" => Expected::Count {
            channel,
            count: counted(subject_value, mistakes)?,
        },
        "drops" => Expected::Drops(tally(subject_value, "`drops`", &REASONS, mistakes)?),
        "traps" => Expected::Traps(tally(subject_value, "`traps`", &TRAPS, mistakes)?),
        "trap" => Expected::Trap(trap(subject_value, mistakes)?),
        _ => of_field(table, (endpoints, endpoint?), classes, context)?,
    };
    Some(Expectation {
        place: table.span,
        endpoint,
        what,
    })
}

fn messages(
    table: &Table<'_>,
    value: &Spanned<DeValue<'_>>,
    channel: Option<ChannelId>,
    context: &mut Context<'_>,
) -> Option<Expected> {
    let payloads = payload::read_expected(context, value);
    let mistakes = context.mistakes();
    let order = choice(table, "order", &ORDERS, &ORDER_NAMES, mistakes);
    let range = 1..=limits::REPEAT_MAX;
    let repeat = table.number("repeat", 1, range, table::integer, mistakes);
    Some(Expected::Messages {
        channel,
        payloads: payloads?,
        repeat,
        order: order.unwrap_or(Order::File),
    })
}

/// Reads how many of something there are.
fn counted(value: &Spanned<DeValue<'_>>, mistakes: &mut Mistakes) -> Option<u64> {
    mistakes.note(value.span(), table::integer(value.get_ref()))
}

/// Reads a number, or a table of numbers by these words.
fn tally(
    value: &Spanned<DeValue<'_>>,
    what: &'static str,
    known: &'static [&'static str],
    mistakes: &mut Mistakes,
) -> Option<Tally> {
    let DeValue::Table(_) = value.get_ref() else {
        return counted(value, mistakes).map(Tally::All);
    };
    let table = Table::of_value(value, what, known, mistakes)?;
    let mut each = Vec::new();
    for key in known {
        if let Some(count) = table.optional(key, table::integer, mistakes) {
            each.push((*key, count.value));
        }
    }
    Some(Tally::Each(each))
}

fn trap(value: &Spanned<DeValue<'_>>, mistakes: &mut Mistakes) -> Option<TrapKind> {
    let name = mistakes.note(value.span(), table::text(value.get_ref()))?;
    let found = TrapKind::ALL.iter().find(|kind| kind.name() == name);
    if found.is_none() {
        let suggestion = closest(name, TRAPS);
        let known = &TRAPS;
        mistakes.add(
            value.span(),
            MistakeKind::UnknownChoice { known, suggestion },
        );
    }
    found.copied()
}

fn of_field(
    table: &Table<'_>,
    (endpoints, endpoint): (&Endpoints<'_>, EndpointId),
    classes: &mut Classes,
    context: &mut Context<'_>,
) -> Option<Expected> {
    let name = table.required("field", table::text, context.mistakes());
    let given = table.need("value", context.mistakes());
    let (name, given) = (name?, given?);
    let Some(class) = endpoints.specs[endpoint.0 as usize].class else {
        // An applet that cannot be read is a mistake already.
        if !endpoints.names_applet[endpoint.0 as usize] {
            context.mistakes().add(name.span, MistakeKind::NoApplet);
        }
        return None;
    };
    // What is no class file, or too large a one, is refused when it is loaded.
    let fields = classes
        .entry(class)
        .or_insert_with(|| ClassFields::of(context.class_bytes(class)));
    let found = fields.as_ref()?.find(name.value);
    let mistakes = context.mistakes();
    let (field, kind) = mistakes.note(name.span, found)?;
    let value = field::read_value(given, kind, mistakes)?;
    Some(Expected::Field {
        name: name.value.to_owned(),
        field,
        kind,
        value,
    })
}
