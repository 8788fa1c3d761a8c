//! Sources of a profile's values: stated by a paper, fitted to a statement, scaled to another clock, or chosen.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU64;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use super::kind::{Kind, Scalar, Value, Written};
use super::statements::STATEMENTS;
use crate::units::UnitError;

/// A statement of a paper, as listed in `docs/papers.md`. A value of this type proves that `docs/papers.md` lists the
/// statement.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statement(u16);

impl Statement {
    /// Returns the statement with this id, such as `S1-37`.
    #[must_use]
    pub fn of(id: &str) -> Option<Statement> {
        Statement::all().find(|known| known.id() == id)
    }

    /// Returns all statements, in the order of `docs/papers.md`.
    pub fn all() -> impl Iterator<Item = Statement> {
        (0u16..)
            .zip(STATEMENTS)
            .map(|(number, _)| Statement(number))
    }

    /// Returns whether a statement is this one, or a part of it: `S5-10` covers `S5-10a`.
    #[must_use]
    pub fn covers(self, other: Statement) -> bool {
        let parts = other.id().strip_prefix(self.id());
        parts.is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_lowercase()))
    }

    /// Returns the id.
    #[must_use]
    pub fn id(self) -> &'static str {
        STATEMENTS[usize::from(self.0)]
    }
}

/// The source of a profile's value.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// A paper states it.
    Paper(Statement),
    /// The value was chosen so that the simulation reproduces this statement.
    Fitted(Statement),
    /// This statement, or a fit to it, gives the value for a processor with another clock. The value has as many cycles.
    Scaled(Statement),
    /// Chosen without a measurement.
    #[default]
    Chosen,
}

impl Source {
    fn parse(text: &str) -> Result<Source, String> {
        let (word, id) = text.split_once(' ').unwrap_or((text, ""));
        let kind = match (word, id) {
            ("chosen", "") => return Ok(Source::Chosen),
            ("paper", _) => Source::Paper,
            ("fitted", _) => Source::Fitted,
            ("scaled", _) => Source::Scaled,
            _ => {
                return Err(format!(
                    "`from` is `{text}`: write `paper`, `fitted` or `scaled` and a statement, as in `paper S1-37`, or `chosen`"
                ));
            }
        };
        Statement::of(id).map(kind).ok_or_else(|| {
            format!("`from` names `{id}`, which is no statement of docs/papers.md, as S1-37 is")
        })
    }
}

impl fmt::Display for Source {
    /// Shows the source of a value in the form that a file uses: `paper S1-37`, `fitted S1-45b`, `scaled S1-37`,
    /// `chosen`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Paper(statement) => write!(f, "paper {}", statement.id()),
            Source::Fitted(statement) => write!(f, "fitted {}", statement.id()),
            Source::Scaled(statement) => write!(f, "scaled {}", statement.id()),
            Source::Chosen => f.write_str("chosen"),
        }
    }
}

/// A value in the form that a file uses: alone, or in a table with its source.
pub(super) struct Sourced<K: Kind> {
    written: K::Written,
    source: Source,
}

impl<K: Kind> Sourced<K> {
    pub(super) fn resolve(&self, clock: NonZeroU64) -> Result<(Value<K>, Source), UnitError> {
        Ok((self.written.resolve(clock)?, self.source))
    }
}

impl<'de, K: Kind> Deserialize<'de> for Sourced<K> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Sourced<K>, D::Error> {
        source.deserialize_any(AsSourced(PhantomData))
    }
}

struct AsSourced<K>(PhantomData<K>);

impl<'de, K: Kind> Visitor<'de> for AsSourced<K> {
    type Value = Sourced<K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, alone or as {{ value = …, from = … }}", K::FORM)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Sourced<K>, E> {
        AsAlone::<K>(PhantomData).visit_str(text).map(chosen)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Sourced<K>, E> {
        AsAlone::<K>(PhantomData).visit_i64(number).map(chosen)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Sourced<K>, E> {
        AsAlone::<K>(PhantomData).visit_f64(number).map(chosen)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sourced<K>, A::Error> {
        let (mut value, mut source) = (None, Source::Chosen);
        // The loop over the table's keys is written by hand, because derived code would add three frames to a stack
        // that may be small.
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "value" => value = Some(map.next_value::<Alone<K>>()?),
                "from" => source = map.next_value()?,
                other => return Err(de::Error::unknown_field(other, &["value", "from"])),
            }
        }
        let Alone(written) = value.ok_or_else(|| de::Error::missing_field("value"))?;
        Ok(Sourced { written, source })
    }
}

/// Returns a value with the source `chosen`, because the file gives no source.
fn chosen<K: Kind>(Alone(written): Alone<K>) -> Sourced<K> {
    Sourced {
        written,
        source: Source::Chosen,
    }
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Source, D::Error> {
        Source::parse(&String::deserialize(source)?).map_err(de::Error::custom)
    }
}

/// The number of a processor in a placement.
#[derive(Copy, Clone)]
pub(super) struct Place(pub(super) u32);

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Place, D::Error> {
        source.deserialize_any(AsPlace)
    }
}

struct AsPlace;

impl Visitor<'_> for AsPlace {
    type Value = Place;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number of a processor, from 0 on")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Place, E> {
        let wrong = |_| E::invalid_value(de::Unexpected::Signed(number), &self);
        u32::try_from(number).map(Place).map_err(wrong)
    }
}

/// A value that a file writes without a source.
struct Alone<K: Kind>(K::Written);

impl<'de, K: Kind> Deserialize<'de> for Alone<K> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Alone<K>, D::Error> {
        source.deserialize_any(AsAlone(PhantomData))
    }
}

struct AsAlone<K>(PhantomData<K>);

impl<K: Kind> Visitor<'_> for AsAlone<K> {
    type Value = Alone<K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(K::FORM)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Alone<K>, E> {
        read(Scalar::Text(text))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Alone<K>, E> {
        read(Scalar::Integer(number))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Alone<K>, E> {
        read(Scalar::Float(number))
    }
}

fn read<K: Kind, E: de::Error>(scalar: Scalar<'_>) -> Result<Alone<K>, E> {
    K::read(scalar).map(Alone).map_err(E::custom)
}
