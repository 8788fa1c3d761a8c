//! Compares fields of applets at the end of a run with their expected values.

use jive_core::ArrayKind;
use nic_core::event::fields::Escaped;
use nic_core::id::EndpointId;
use nic_core::sle::Applet;

use super::difference::Difference;
use super::shortfall::{At, Count, Shortfall};
use crate::spec::{Expected, FieldKind, FieldName, FieldValue, Scenario};

/// Compares every field that has an expectation. `applets_at` returns the applets of an endpoint. Returns the shortfall
/// of each expectation, or `None` if the expectation is met.
pub(crate) fn judge<'m, 'a: 'm>(
    scenario: &Scenario,
    applets_at: impl Fn(EndpointId) -> Vec<&'m Applet<'a>>,
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
        match Field::of(applets_at(endpoint), (name, field), *kind) {
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
        applets: Vec<&'m Applet<'_>>,
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
                applets.find(|applet| applet.class.class.name().as_bytes() == class.as_bytes())
            }
            None => applets.next(),
        };
        let applet = applet.ok_or(Absent::Field)?;
        let instance = &applet.instance;
        let field = field.field_of(&applet.class.class).ok_or(Absent::Field)?;
        let value = instance.field(field.id);
        Ok(match kind.is_array {
            false => Field::One(value),
            true => instance
                .heap()
                .bytes(value)
                .map_or(Field::Null, Field::Array),
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
