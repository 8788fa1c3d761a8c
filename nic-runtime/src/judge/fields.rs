//! Compares fields of applets at the end of a run with their expected values.

use jive_core::{ArrayKind, ClassFile};
use nic_core::event::fields::Escaped;
use nic_core::id::EndpointId;

use super::difference::Difference;
use super::shortfall::{At, Count, Shortfall};
use crate::spec::{Expected, FieldKind, FieldName, FieldValue, Scenario};

/// A class that has run, as it is at the end of a run.
pub(crate) struct InstanceAt<'m> {
    pub(crate) class: &'m ClassFile<'m>,
    /// The values of its fields.
    pub(crate) fields: &'m [i32],
    /// Returns the elements of an array, or `None` for null.
    pub(crate) array: Box<dyn Fn(i32) -> Option<&'m [u8]> + 'm>,
}

/// Compares every field that has an expectation. `instances_at` returns the applets of an endpoint, or the class that its
/// process runs. Returns the shortfall of each expectation, or `None` if the expectation is met.
pub(crate) fn judge<'m>(
    scenario: &Scenario,
    instances_at: impl Fn(EndpointId) -> Vec<InstanceAt<'m>>,
) -> Vec<Option<Shortfall>> {
    let judged = scenario.expectations.iter().map(|expectation| {
        let Expected::Field {
            name,
            field,
            kind,
            value,
        } = &expectation.what
        else {
            return None;
        };
        let endpoint = expectation.endpoint?;
        let what = format!(
            "field `{}` of {}",
            Escaped(name),
            At(scenario, Some(endpoint))
        );
        let lacks = |found: &str| {
            let title = format!("expected a value in {what}, found {found}");
            Some(Shortfall::of(title))
        };
        match Field::of(instances_at(endpoint), (name, field), *kind) {
            Ok(found) => found.compare(&what, *kind, value),
            Err(Absent::Applet) => lacks("no applet at the end of the run"),
            Err(Absent::Field) => lacks("an applet without such a field of that type"),
        }
    });
    judged.collect()
}

/// Why an endpoint has no value to compare.
enum Absent {
    /// The endpoint has no applet: it began without one, or its applet was taken from it.
    Applet,
    /// The applet has no such field.
    Field,
}

/// The value of a field.
enum Field<'m> {
    /// A number.
    One(i32),
    /// A null reference.
    Null,
    /// An array: the bytes of its elements.
    Array(&'m [u8]),
}

impl<'m> Field<'m> {
    /// Returns the value of the field with this name and type. The applet at the end of the run may have another class
    /// than at the start, and therefore another field or none.
    fn of(
        applets: Vec<InstanceAt<'m>>,
        (name, field): (&str, &FieldName),
        kind: FieldKind,
    ) -> Result<Field<'m>, Absent> {
        if applets.is_empty() {
            return Err(Absent::Applet);
        }
        let mut applets = applets.into_iter();
        let applet = match name.split_once('.') {
            // No field of a Java class has a dot in its name (JVMS §4.2.2): a name with a dot means an applet of a
            // chain.
            Some((class, _)) => {
                applets.find(|applet| applet.class.name().as_bytes() == class.as_bytes())
            }
            None => applets.next(),
        };
        let applet = applet.ok_or(Absent::Field)?;
        let field = field.field_of(applet.class).ok_or(Absent::Field)?;
        let value = applet.fields.get(field.id.index()).copied().unwrap_or(0);
        Ok(match kind.is_array {
            false => Field::One(value),
            true => (applet.array)(value).map_or(Field::Null, Field::Array),
        })
    }

    /// Compares the field with its expected value. Returns a description of the difference, or `None` if field and
    /// value are equal.
    fn compare(&self, what: &str, kind: FieldKind, expected: &FieldValue) -> Option<Shortfall> {
        let scalar = |value: i32| match kind.element {
            ArrayKind::Boolean => (value != 0).to_string(),
            ArrayKind::Byte | ArrayKind::Short | ArrayKind::Int => value.to_string(),
        };
        let say = |expected: &str, found: &str| {
            Some(Shortfall::of(format!(
                "expected {expected} in {what}, found {found}"
            )))
        };
        let bytes = match (self, expected) {
            (Field::One(found), FieldValue::One(expected)) if found == expected => return None,
            (Field::One(found), FieldValue::One(expected)) => {
                return say(&scalar(*expected), &scalar(*found));
            }
            (Field::Array(bytes), FieldValue::Array(_)) => *bytes,
            (Field::Null, FieldValue::Array(expected)) => {
                let expected = Count(expected.len() as u64, "element");
                return say(&expected.to_string(), "null");
            }
            // A value that does not have the field's type does not occur, because the scenario's reader has checked the
            // type.
            (Field::One(_), FieldValue::Array(_))
            | (Field::Null | Field::Array(_), FieldValue::One(_)) => return None,
        };
        let FieldValue::Array(expected) = expected else {
            return None;
        };
        let found = || kind.element.elements(bytes);
        let mut pairs = expected.iter().zip(found()).enumerate();
        let differs = pairs.find(|(_, (expected, found))| *expected != found);
        let (wanted, length) = (expected.len(), found().count());
        let title = match differs {
            Some((index, (expected, found))) => {
                let (expected, found) = (scalar(*expected), scalar(found));
                format!("expected {expected} in element {index} of {what}, found {found}")
            }
            None if wanted == length => return None,
            None => {
                let wanted = Count(wanted as u64, "element");
                format!("expected {wanted} in {what}, found {length}")
            }
        };
        let note = match kind.element {
            ArrayKind::Byte => {
                // The scenario's reader has checked that each value fits a byte.
                let expected = expected.iter().map(|byte| *byte as u8).collect::<Vec<_>>();
                Difference::between(&expected, || bytes.iter().copied())
            }
            ArrayKind::Boolean | ArrayKind::Short | ArrayKind::Int => None,
        };
        Some(Shortfall {
            title,
            note: note.map(|difference| difference.to_string()),
        })
    }
}
