//! Writes out the entries of a scenario whose names have ranges: `[[nic]] name = "n{0..3}"` stands for four NICs.

use bumpalo::Bump;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::form::{Form, Section};
use super::limits;
use super::mistake::MistakeKind;
use super::table::Mistakes;
use crate::spec::Span;

/// A part of a name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Piece<'n> {
    Text(&'n str),
    /// The numbers from the first to the last, written with at least so many digits.
    Range(u32, u32, usize),
}

/// Returns the parts of a name.
fn pieces(name: &str) -> Result<Vec<Piece<'_>>, MistakeKind> {
    let mut pieces = Vec::new();
    let mut rest = name;
    while let Some((before, inside, after)) = next_range(rest) {
        let (first, last) = inside.split_once("..").ok_or(MistakeKind::Range)?;
        let number = |digits: &str| {
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = digits.parse().ok().filter(|_| is_number);
            number.ok_or(MistakeKind::Range)
        };
        let (from, to) = (number(first)?, number(last)?);
        if from > to {
            return Err(MistakeKind::Range);
        }
        let width = if first.starts_with('0') {
            first.len()
        } else {
            1
        };
        pieces.push(Piece::Text(before));
        pieces.push(Piece::Range(from, to, width));
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

/// Returns whether a name with ranges stands for a member, among others.
pub(super) fn has_member(name: &str, member: &str) -> bool {
    let Ok(pieces) = pieces(name) else {
        return false;
    };
    let lengths = pieces.iter().filter_map(|piece| match piece {
        Piece::Range(first, last, _) => Some(last - first),
        Piece::Text(_) => None,
    });
    let Some(most) = lengths.min() else {
        return false;
    };
    // The digits at the first range say which member it could be.
    let digits = match pieces[..] {
        [Piece::Text(before), Piece::Range(first, ..), ..] => {
            let rest = member.strip_prefix(before);
            rest.map(|rest| {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                (first, &rest[..digits])
            })
        }
        _ => None,
    };
    let index = digits.and_then(|(first, digits)| digits.parse::<u32>().ok()?.checked_sub(first));
    index.is_some_and(|index| index <= most && written(&pieces, index) == member)
}

/// Returns a name with the numbers at this position of their ranges.
fn written(pieces: &[Piece<'_>], index: u32) -> String {
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => (*text).to_owned(),
        Piece::Range(first, _, width) => format!("{:0width$}", first.saturating_add(index)),
    };
    pieces.iter().map(piece).collect()
}

/// Returns the first part of a name in braces with two dots, with what is before and behind it.
fn next_range(name: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = from + name[from..].find('{')?;
        let close = open + name[open..].find('}')?;
        let inside = &name[open + 1..close];
        if inside.contains("..") {
            return Some((&name[..open], inside, &name[close + 1..]));
        }
        from = close + 1;
    }
}

/// Writes out every entry of an array of tables that has ranges.
pub(super) fn write_out<'t>(
    document: &mut DeTable<'t>,
    root: &'static Section,
    arena: &'t Bump,
    mistakes: &mut Mistakes,
) {
    let mut left = limits::WRITTEN_OUT_MAX;
    for row in root.keys {
        let Form::List(of, ..) = (row.form)() else {
            continue;
        };
        let Some(value) = document.get_mut(row.name) else {
            continue;
        };
        let span = value.span();
        let DeValue::Array(entries) = value.get_mut() else {
            continue;
        };
        if !entries.iter().any(has_braces) {
            continue;
        }
        let mut written = DeArray::new();
        for entry in std::mem::replace(entries, DeArray::new()) {
            write_entry(entry, &of, (&mut written, &mut left), (arena, mistakes));
        }
        *value = Spanned::new(span, DeValue::Array(written));
    }
}

/// Adds the entries for which one entry stands.
fn write_entry<'t>(
    entry: Spanned<DeValue<'t>>,
    form: &Form,
    (written, left): (&mut DeArray<'t>, &mut u64),
    (arena, mistakes): (&'t Bump, &mut Mistakes),
) {
    if !has_braces(&entry) {
        return written.push(entry);
    }
    let mut copier = Copier {
        index: 0,
        ranges: Vec::new(),
        arena,
        mistakes,
    };
    let first = copier.copy(&entry, form);
    let Some((count, _)) = copier.ranges.first().copied() else {
        return written.push(first);
    };
    if let Some((other, place)) = copier.ranges.iter().find(|(other, _)| *other != count) {
        let (one, other) = (count.into(), (*other).into());
        mistakes.add(*place, MistakeKind::UnequalRanges { one, other });
        return;
    }
    let demand = u64::from(count).saturating_mul(weight(&entry));
    let Some(rest) = left.checked_sub(demand) else {
        let (what, limit) = ("values in entries with ranges", limits::WRITTEN_OUT_MAX);
        mistakes.add(entry.span(), MistakeKind::TooMany { what, limit });
        return;
    };
    *left = rest;
    written.push(first);
    for index in 1..count {
        copier.index = index;
        written.push(copier.copy(&entry, form));
    }
}

fn has_braces(value: &Spanned<DeValue<'_>>) -> bool {
    match value.get_ref() {
        DeValue::String(text) => text.contains('{'),
        DeValue::Array(items) => items.iter().any(has_braces),
        DeValue::Table(table) => table
            .iter()
            .any(|(key, value)| key.get_ref().contains('{') || has_braces(value)),
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {
            false
        }
    }
}

/// Returns how much memory a value takes, in values of a usual size.
fn weight(value: &Spanned<DeValue<'_>>) -> u64 {
    match value.get_ref() {
        DeValue::String(text) => 1 + text.len() as u64 / 64,
        DeValue::Array(items) => 1 + items.iter().map(weight).sum::<u64>(),
        DeValue::Table(table) => 1 + table.values().map(weight).sum::<u64>(),
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => 1,
    }
}

/// Copies an entry, with a number in the place of each range.
struct Copier<'m, 't> {
    /// The position of the numbers in their ranges.
    index: u32,
    /// The length and place of every range that was found.
    ranges: Vec<(u32, Span)>,
    arena: &'t Bump,
    mistakes: &'m mut Mistakes,
}

impl<'t> Copier<'_, 't> {
    fn copy(&mut self, value: &Spanned<DeValue<'t>>, form: &Form) -> Spanned<DeValue<'t>> {
        let span = value.span();
        let copied = match value.get_ref() {
            DeValue::String(text) => self.copy_text(text, form, span.clone().into()),
            DeValue::Array(items) => {
                let of = part_of(form, |form| match form {
                    Form::List(of, ..) => Some((**of).clone()),
                    _ => None,
                });
                let items = items.iter().map(|item| self.copy(item, &of));
                DeValue::Array(items.collect())
            }
            DeValue::Table(table) => DeValue::Table(self.copy_table(table, form)),
            other => other.clone(),
        };
        Spanned::new(span, copied)
    }

    fn copy_table(&mut self, table: &DeTable<'t>, form: &Form) -> DeTable<'t> {
        let mut copied = DeTable::new();
        for (key, value) in table {
            let mut name = key.clone();
            let of = part_of(form, |form| match form {
                Form::Table(section, _) => form_of(section, key.get_ref()),
                Form::Map(of) => Some((**of).clone()),
                _ => None,
            });
            if is_any(form, |form| matches!(form, Form::Map(_))) {
                let place = key.span().into();
                if let Some(written) = self.name(key.get_ref(), place) {
                    name = Spanned::new(key.span(), written.into());
                }
            }
            let value = self.copy(value, &of);
            copied.insert(name, value);
        }
        copied
    }

    fn copy_text(&mut self, text: &str, form: &Form, place: Span) -> DeValue<'t> {
        let is_number = is_any(form, |form| matches!(form, Form::Integer(..)));
        if is_number
            && let Ok([Piece::Text(""), range @ Piece::Range(..), Piece::Text("")]) =
                pieces(text).as_deref()
        {
            return number(self.number(*range, place), self.arena);
        }
        let is_name = is_any(form, |form| matches!(form, Form::Name | Form::NameOf(_)));
        let written = is_name.then(|| self.name(text, place)).flatten();
        DeValue::String(written.unwrap_or_else(|| text.to_owned()).into())
    }

    /// Returns a name with numbers, or `None` if it has no ranges.
    fn name(&mut self, name: &str, place: Span) -> Option<String> {
        let pieces = self.mistakes.note(place, pieces(name))?;
        if let [Piece::Text(_)] = pieces[..] {
            return None;
        }
        let mut written = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => written.push_str(text),
                Piece::Range(_, _, width) => {
                    let number = self.number(piece, place);
                    written.push_str(&format!("{number:0width$}"));
                }
            }
        }
        Some(written)
    }

    fn number(&mut self, range: Piece<'_>, place: Span) -> u32 {
        let Piece::Range(first, last, _) = range else {
            return 0;
        };
        if self.index == 0 {
            self.ranges.push(((last - first).saturating_add(1), place));
        }
        first.saturating_add(self.index)
    }
}

/// Returns a number as a scenario has it.
pub(super) fn number<'t>(number: u32, arena: &'t Bump) -> DeValue<'t> {
    let digits: &'t str = arena.alloc_str(&number.to_string());
    DeValue::parse(digits)
        .expect("digits are a number")
        .into_inner()
}

/// Returns whether a form, or one of its alternatives, is of a sort.
fn is_any(form: &Form, of: impl Fn(&Form) -> bool + Copy) -> bool {
    match form {
        Form::Either(forms) => forms.iter().any(|form| is_any(form, of)),
        form => of(form),
    }
}

/// Returns the form of a part, by the first alternative that has it. A part without a form has no ranges.
fn part_of(form: &Form, part: impl Fn(&Form) -> Option<Form>) -> Form {
    let found = match form {
        Form::Either(forms) => forms.iter().find_map(part),
        form => part(form),
    };
    found.unwrap_or(Form::Anything)
}

fn form_of(section: &'static Section, key: &str) -> Option<Form> {
    let row = section.keys.iter().find(|row| row.name == key);
    row.map(|row| (row.form)())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_ranges_where_it_has_dots_in_braces() {
        let text = Piece::Text;
        assert_eq!(pieces("a{b}c"), Ok(vec![text("a{b}c")]));
        assert_eq!(pieces("a{b"), Ok(vec![text("a{b")]));
        let range = Piece::Range(0, 63, 1);
        assert_eq!(pieces("n{0..63}"), Ok(vec![text("n"), range, text("")]));
        assert_eq!(
            pieces("a{b}.{08..10}x{1..2}"),
            Ok(vec![
                text("a{b}."),
                Piece::Range(8, 10, 2),
                text("x"),
                Piece::Range(1, 2, 1),
                text("")
            ])
        );
        for wrong in [
            "{..}",
            "{1..}",
            "{a..b}",
            "{2..1}",
            "{+1..2}",
            "{0..4294967296}",
            "{1...2}",
        ] {
            assert_eq!(pieces(wrong), Err(MistakeKind::Range), "{wrong}");
        }
    }
}
