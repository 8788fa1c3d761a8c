//! Reads `[[expect]]`: the expectations of a scenario about its run.

use std::collections::BTreeMap;

use jive_core::TrapKind;
use jive_embed::plain_text::plain_lossy;
use nic_core::id::{ChannelId, EndpointId};
use toml::Spanned;
use toml::de::DeValue;

use super::context::Context;
use super::drawn::channel_number;
use super::endpoint_table::Endpoints;
use super::field::{self, ClassFields};
use super::form::Section;
use super::keys::{DROPS, EXPECT, ROOT, TRAP_COUNTS, TRAPS};
use super::limits;
use super::mistake::MistakeKind;
use super::payload;
use super::processes::Processes;
use super::table::{self, Mistakes, Table};
use super::words::closest;
use crate::spec::{
    EndpointSpec, Expectation, Expected, FieldKind, FieldName, HostSpec, SwapSpec, Tally,
};

/// The keys of an expectation that are allowed only together with certain other keys.
static PARTNERS: [(&str, &[&str], &str); 4] = {
    let payload = &[EXPECT.payload.name];
    [
        (
            EXPECT.channel.name,
            &[EXPECT.payload.name, EXPECT.count.name],
            "payload` or `count",
        ),
        (EXPECT.order.name, payload, "payload"),
        (EXPECT.repeat.name, payload, "payload"),
        (EXPECT.value.name, &[EXPECT.field.name], "field"),
    ]
};

/// Returns whether a text has a line `[[expect]]`, even if the text is no valid scenario.
#[must_use]
pub fn has_expectations(text: &[u8]) -> bool {
    let text = plain_lossy(text);
    text.lines().any(|line| {
        let line = line.bytes().filter(|byte| !byte.is_ascii_whitespace());
        line.take("[[expect]]".len()).eq("[[expect]]".bytes())
    })
}

/// Reads every `[[expect]]`.
pub(super) fn read(
    root: &Table<'_>,
    subjects: Subjects<'_, '_>,
    context: &mut Context,
) -> Vec<Expectation> {
    let limit = limits::EXPECTATIONS_MAX;
    let mistakes = context.mistakes();
    let tables = root.tables(ROOT.expect.name, EXPECT.section, limit, mistakes);
    let mut classes = Classes::new();
    let read = tables
        .iter()
        .filter_map(|table| expectation(table, subjects, &mut classes, context));
    read.collect()
}

/// The endpoints with their first applets, the swaps that bring later applets, and the processes.
type Subjects<'e, 't> = (&'e Endpoints<'t>, &'e [SwapSpec], &'e Processes<'t>);

/// The fields of each class that an expectation needed, by the class's index; `None` for a class that will be rejected.
type Classes = BTreeMap<usize, Option<ClassFields>>;

fn expectation(
    table: &Table<'_>,
    of: Subjects<'_, '_>,
    classes: &mut Classes,
    context: &mut Context,
) -> Option<Expectation> {
    let subjects = EXPECT
        .section
        .one_of
        .iter()
        .filter(|key| table.value(key).is_some());
    let subjects = subjects.copied().collect::<Vec<_>>();
    let mistakes = context.mistakes();
    for &(key, with, partner) in &PARTNERS {
        if let Some(value) = table.value(key)
            && !with.iter().any(|key| subjects.contains(key))
        {
            mistakes.add(value.span(), MistakeKind::NeedsPartner { key, partner });
        }
    }
    let [subject] = subjects[..] else {
        mistakes.add(
            table.span,
            MistakeKind::OneOf {
                known: EXPECT.section.one_of,
            },
        );
        return None;
    };
    let is = |key: &str| subject == key;
    let is_of_one = is(EXPECT.payload.name) || is(EXPECT.trap.name) || is(EXPECT.field.name);
    let home = match table.value(EXPECT.process.name) {
        Some(value) => Some(home(table, value, of, mistakes)?),
        None => None,
    };
    let value = match is_of_one && home.is_none() {
        true => table.need(EXPECT.endpoint.name, mistakes),
        false => table.value(EXPECT.endpoint.name),
    };
    let endpoint = match value {
        Some(value) => Some(EndpointId(of.0.names.find_value(value, mistakes)?)),
        None if is_of_one && home.is_none() => return None,
        None => home,
    };
    let channel = EXPECT.channel.with(table, channel_number, mistakes);
    let channel = channel.map(|channel| channel.value);
    let subject_value = table.value(subject)?;
    let what = if is(EXPECT.payload.name) {
        messages(table, subject_value, channel, context)?
    } else if is(EXPECT.count.name) {
        let count = counted(subject_value, mistakes)?;
        Expected::Count { channel, count }
    } else if is(EXPECT.drops.name) {
        Expected::Drops(tally(subject_value, &DROPS, mistakes)?)
    } else if is(EXPECT.traps.name) {
        Expected::Traps(tally(subject_value, &TRAP_COUNTS, mistakes)?)
    } else if is(EXPECT.trap.name) {
        Expected::Trap(trap(subject_value, mistakes)?)
    } else {
        of_field(table, (of, endpoint?), classes, context)?
    };
    Some(Expectation {
        place: table.span,
        endpoint,
        what,
    })
}

/// Returns the first endpoint of a process that runs a class, to which the events of the class belong.
fn home(
    table: &Table<'_>,
    value: &Spanned<DeValue<'_>>,
    (endpoints, _, processes): Subjects<'_, '_>,
    mistakes: &mut Mistakes,
) -> Option<EndpointId> {
    let key = EXPECT.process.name;
    if let Some(both) = table.value(EXPECT.endpoint.name) {
        let of = EXPECT.endpoint.name;
        mistakes.add(both.span(), MistakeKind::Excluded { key, of });
    }
    if ![EXPECT.trap.name, EXPECT.field.name]
        .iter()
        .any(|key| table.value(key).is_some())
    {
        let partner = "trap` or `field";
        mistakes.add(value.span(), MistakeKind::NeedsPartner { key, partner });
    }
    let process = processes.names.find_value(value, mistakes)?;
    let specs = (0u32..).map(EndpointId).zip(&endpoints.specs);
    let mut own = specs.filter(|(_, spec)| spec.process == Some(process));
    let (home, spec) = own.next()?;
    if !matches!(spec.host, HostSpec::Class(_)) {
        let partner = "program = \"class:FILE\"";
        mistakes.add(value.span(), MistakeKind::NeedsPartner { key, partner });
        return None;
    }
    Some(home)
}

fn messages(
    table: &Table<'_>,
    value: &Spanned<DeValue<'_>>,
    channel: Option<ChannelId>,
    context: &mut Context,
) -> Option<Expected> {
    let payloads = payload::read_expected(context, value);
    let mistakes = context.mistakes();
    let order = EXPECT.order.get(table, mistakes);
    let repeat = EXPECT.repeat.get(table, mistakes);
    Some(Expected::Messages {
        channel,
        payloads: payloads?,
        repeat,
        order,
    })
}

/// Reads a number of drops, traps or descriptors.
fn counted(value: &Spanned<DeValue<'_>>, mistakes: &mut Mistakes) -> Option<u64> {
    mistakes.note(value.span(), table::integer(value.get_ref()))
}

/// Reads a number of drops or traps, or a table of numbers with these keys.
fn tally(
    value: &Spanned<DeValue<'_>>,
    section: &'static Section,
    mistakes: &mut Mistakes,
) -> Option<Tally> {
    let DeValue::Table(_) = value.get_ref() else {
        return counted(value, mistakes).map(Tally::All);
    };
    let table = Table::of_value(value, section, mistakes)?;
    let mut each = Vec::new();
    for key in section.names {
        if let Some(count) = table.value(key).and_then(|value| counted(value, mistakes)) {
            each.push((*key, count));
        }
    }
    Some(Tally::Each(each))
}

fn trap(value: &Spanned<DeValue<'_>>, mistakes: &mut Mistakes) -> Option<TrapKind> {
    let name = mistakes.note(value.span(), table::text(value.get_ref()))?;
    let found = TrapKind::ALL.iter().find(|kind| kind.name() == name);
    if found.is_none() {
        let suggestion = closest(name, TRAPS.iter().copied());
        let known = TRAPS.to_vec();
        mistakes.add(
            value.span(),
            MistakeKind::UnknownChoice { known, suggestion },
        );
    }
    found.copied()
}

/// Finds the field `CLASS.FIELD` of a chain of applets. If several applets of the chain have the class, the first of
/// them counts.
fn of_chain(
    spec: &EndpointSpec,
    name: &str,
    classes: &mut Classes,
    context: &Context,
) -> Result<(FieldName, FieldKind), MistakeKind> {
    let (class, field) = name.split_once('.').ok_or(MistakeKind::FieldOfChain)?;
    for (applet, _) in spec.applets() {
        let fields = classes
            .entry(applet)
            .or_insert_with(|| ClassFields::of(context.class_bytes(applet)));
        if let Some(fields) = fields.as_ref().filter(|fields| fields.class() == class) {
            return fields.find(field);
        }
    }
    Err(MistakeKind::FieldOfChain)
}

/// Reads an expectation about a field. An endpoint whose applet is replaced has the fields of all its applets' classes,
/// because a swap may be refused. The first of an endpoint's classes that has the field gives the
/// field's type, and in none of them the name may stand for several fields.
fn of_field(
    table: &Table<'_>,
    ((endpoints, swaps, processes), endpoint): (Subjects<'_, '_>, EndpointId),
    classes: &mut Classes,
    context: &mut Context,
) -> Option<Expected> {
    let name = EXPECT.field.with(table, table::text, context.mistakes());
    let given = table.need(EXPECT.value.name, context.mistakes());
    let (name, given) = (name?, given?);
    if endpoints.specs[endpoint.0 as usize].has_chain() {
        let spec = &endpoints.specs[endpoint.0 as usize];
        let found = of_chain(spec, name.value, classes, context);
        let (field, kind) = context.mistakes().note(name.span, found)?;
        let value = field::read_value(given, kind, context.mistakes())?;
        return Some(Expected::Field {
            name: name.value.to_owned(),
            field,
            kind,
            value,
        });
    }
    let spec = &endpoints.specs[endpoint.0 as usize];
    let first = match spec.host {
        HostSpec::Class(program) => Some(processes.programs[program as usize].class),
        _ => spec.class,
    };
    let later = swaps.iter().filter(|swap| swap.endpoint == endpoint);
    let mut of_endpoint = first.into_iter().chain(later.map(|swap| swap.class));
    let Some(class) = of_endpoint.next() else {
        // An applet whose class cannot be read has already been reported.
        if !endpoints.names_applet[endpoint.0 as usize] {
            context.mistakes().add(name.span, MistakeKind::NoApplet);
        }
        return None;
    };
    let mut found = None;
    for class in std::iter::once(class).chain(of_endpoint) {
        let fields = classes
            .entry(class)
            .or_insert_with(|| ClassFields::of(context.class_bytes(class)));
        let of_class = fields.as_ref().map(|fields| fields.find(name.value));
        match (&found, of_class) {
            (_, Some(Err(ambiguous @ MistakeKind::AmbiguousField { .. }))) => {
                context.mistakes().add(name.span, ambiguous);
                return None;
            }
            (None | Some(Some(Err(_)) | None), of_class @ Some(Ok(_))) => found = Some(of_class),
            (None, of_class) => found = Some(of_class),
            (Some(_), _) => {}
        }
    }
    // A class file that is invalid or too large is reported later, when the class is loaded.
    let found = found??;
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
