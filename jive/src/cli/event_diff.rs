//! The differences of two traces as a list of changed, moved, missing and new events.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::event_line::EventLine;
use super::invisible;

/// Maximum number of changes that are shown; further changes are only counted.
const CHANGES_SHOWN_MAX: usize = 40;

/// The longest value, in characters, for which the old and the new value share a line.
const VALUE_CHARS_MAX: usize = 24;

const OLD: Style = AnsiColor::Red.on_default();
const NEW: Style = AnsiColor::Green.on_default();
const MOVED: Style = AnsiColor::Yellow.on_default();

/// A part of a trace as events, each with its original bytes.
pub(super) struct Events {
    lines: Vec<(Vec<u8>, EventLine)>,
    /// How many events of the trace come before this part.
    before: usize,
}

impl Events {
    /// Parses lines of a trace; `before` lines of the trace come before them.
    pub(super) fn new(lines: Vec<Vec<u8>>, before: usize) -> Events {
        let lines = lines.into_iter().map(|bytes| {
            let line = EventLine::new(&bytes);
            (bytes, line)
        });
        Events {
            lines: lines.collect(),
            before,
        }
    }

    fn line(&self, index: usize) -> &EventLine {
        &self.lines[index].1
    }

    /// Returns the event as text, or a description of a line without visible characters.
    fn shown(&self, index: usize) -> String {
        let (bytes, line) = &self.lines[index];
        match line.text() {
            "" => format!("({})", invisible::blank(bytes)),
            text => text.to_owned(),
        }
    }

    /// Returns the number of an event in its whole trace, counted from 1.
    fn number(&self, index: usize) -> usize {
        self.before + index + 1
    }
}

/// One difference, with the positions of its events in the golden trace and in the current trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Change {
    /// Consecutive events have other times in the current trace, but are equal otherwise.
    Retimed {
        golden: usize,
        now: usize,
        count: usize,
    },
    /// An event has other fields in the current trace.
    Changed { golden: usize, now: usize },
    /// An event is at another place in the current trace.
    Moved { golden: usize, now: usize },
    /// An event of the golden trace is missing in the current trace.
    Gone { golden: usize },
    /// An event of the current trace is missing in the golden trace.
    New { now: usize },
}

/// Describes the differences of two traces; the text is empty if the traces are equal.
pub(super) fn show(golden: &Events, now: &Events) -> String {
    let changes = changes(golden, now);
    let mut text = String::new();
    let shown = changes.len().min(CHANGES_SHOWN_MAX);
    for change in &changes[..shown] {
        // Writing to a string cannot fail.
        let _infallible = write_change(&mut text, golden, now, *change);
    }
    let rest = &changes[shown..];
    if !rest.is_empty() {
        let count = |is: fn(&Change) -> bool| rest.iter().filter(|change| is(change)).count();
        let kinds = [
            (
                count(|it| matches!(it, Change::Retimed { .. })),
                "at other times",
            ),
            (count(|it| matches!(it, Change::Changed { .. })), "changed"),
            (count(|it| matches!(it, Change::Moved { .. })), "moved"),
            (count(|it| matches!(it, Change::Gone { .. })), "gone"),
            (count(|it| matches!(it, Change::New { .. })), "new"),
        ];
        let kinds = kinds.iter().filter(|(count, _)| *count > 0);
        let kinds = kinds.map(|(count, kind)| format!("{count} {kind}"));
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        text.push_str(&format!("({} more changes: {kinds})\n", rest.len()));
    }
    text
}

/// Finds the changes, in the order of the golden trace.
fn changes(golden: &Events, now: &Events) -> Vec<Change> {
    let untimed = |events: &Events| {
        let lines = events.lines.iter();
        lines
            .map(|(_, line)| line.untimed().to_owned())
            .collect::<Vec<_>>()
    };
    let (old, new) = (untimed(golden), untimed(now));
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    let moves = moves(&ops, &old, &new);
    let arrived = moves.values().collect::<BTreeSet<_>>();
    let mut found = Vec::new();
    for op in &ops {
        let (olds, news) = (op.old_range(), op.new_range());
        if let DiffOp::Equal { .. } = op {
            for (golden_at, now_at) in olds.zip(news) {
                if golden.line(golden_at).time() != now.line(now_at).time() {
                    retimed(&mut found, golden_at, now_at);
                } else if golden.lines[golden_at].0 != now.lines[now_at].0 {
                    let (golden, now) = (golden_at, now_at);
                    found.push(Change::Changed { golden, now });
                }
            }
            continue;
        }
        let news = news.filter(|at| !arrived.contains(at)).collect::<Vec<_>>();
        let (moved, olds): (Vec<_>, Vec<_>) = olds.partition(|at| moves.contains_key(at));
        found.extend(moved.into_iter().map(|golden| Change::Moved {
            golden,
            now: moves[&golden],
        }));
        pair_up(golden, now, &olds, &news, &mut found);
    }
    found
}

/// Records an event with another time, and joins it to the previous change if the events of both are consecutive.
fn retimed(found: &mut Vec<Change>, golden_at: usize, now_at: usize) {
    if let Some(Change::Retimed { golden, now, count }) = found.last_mut()
        && *golden + *count == golden_at
        && *now + *count == now_at
    {
        *count += 1;
        return;
    }
    found.push(Change::Retimed {
        golden: golden_at,
        now: now_at,
        count: 1,
    });
}

/// Returns the new position of each event that was removed at one place and inserted at another.
fn moves(ops: &[DiffOp], old: &[String], new: &[String]) -> BTreeMap<usize, usize> {
    let hunks = || ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    let mut gone = BTreeMap::<&str, VecDeque<usize>>::new();
    for at in hunks().flat_map(DiffOp::old_range) {
        gone.entry(&old[at]).or_default().push_back(at);
    }
    let new_ones = hunks().flat_map(DiffOp::new_range);
    let moved = new_ones.filter_map(|now| {
        let from = gone.get_mut(&*new[now])?.pop_front()?;
        Some((from, now))
    });
    moved.collect()
}

/// Pairs removed and inserted events, in order: first those that look alike, then those that have the same name and
/// endpoint. Each pair is a changed event. Events without a partner are missing or new.
fn pair_up(golden: &Events, now: &Events, olds: &[usize], news: &[usize], found: &mut Vec<Change>) {
    let looks = |events: &Events, at: usize| invisible::visible(&events.lines[at].0);
    let place = |events: &Events, at: usize| events.line(at).place().to_owned();
    pair_by(
        golden,
        now,
        (olds, news),
        looks,
        found,
        |olds, news, found| {
            pair_by(
                golden,
                now,
                (olds, news),
                place,
                found,
                |olds, news, found| {
                    found.extend(olds.iter().map(|&golden| Change::Gone { golden }));
                    found.extend(news.iter().map(|&now| Change::New { now }));
                },
            );
        },
    );
}

/// Pairs removed and inserted events with equal keys, in order, and gives the events between the pairs to `others`.
fn pair_by(
    golden: &Events,
    now: &Events,
    (olds, news): (&[usize], &[usize]),
    key: impl Fn(&Events, usize) -> String,
    found: &mut Vec<Change>,
    others: impl Fn(&[usize], &[usize], &mut Vec<Change>),
) {
    let keys = |events: &Events, indices: &[usize]| {
        let keys = indices.iter().map(|at| key(events, *at));
        keys.collect::<Vec<_>>()
    };
    let (old_keys, new_keys) = (keys(golden, olds), keys(now, news));
    for op in capture_diff_slices(Algorithm::Myers, &old_keys, &new_keys) {
        let (olds, news) = (&olds[op.old_range()], &news[op.new_range()]);
        if let DiffOp::Equal { .. } = op {
            let pairs = olds.iter().zip(news);
            found.extend(pairs.map(|(&golden, &now)| Change::Changed { golden, now }));
        } else {
            others(olds, news, found);
        }
    }
}

fn write_change(
    text: &mut String,
    golden: &Events,
    now: &Events,
    change: Change,
) -> std::fmt::Result {
    match change {
        Change::Retimed {
            golden: golden_at,
            now: now_at,
            count,
        } => {
            let (old, new) = (golden.line(golden_at), now.line(now_at));
            let first = golden.number(golden_at);
            if count > 1 {
                let last = first + count - 1;
                write!(
                    text,
                    "~ events {first} to {last}, only their times differ, the first"
                )?;
            } else {
                write!(text, "~ event {first}")?;
            }
            let (from, to) = (old.time(), new.time());
            writeln!(
                text,
                ": {OLD}{from}{OLD:#} -> {NEW}{to}{NEW:#}  {}",
                old.untimed()
            )
        }
        Change::Changed {
            golden: golden_at,
            now: now_at,
        } => {
            let (old, new) = (golden.line(golden_at), now.line(now_at));
            let number = golden.number(golden_at);
            writeln!(text, "~ event {number}: {}", golden.shown(golden_at))?;
            let (bytes, now_bytes) = (&golden.lines[golden_at].0, &now.lines[now_at].0);
            let looks_alike = old.text() == new.text()
                || invisible::visible(bytes) == invisible::visible(now_bytes);
            if looks_alike {
                writeln!(text, "    {}", invisible::difference(bytes, now_bytes))
            } else {
                write_fields(text, old, new)
            }
        }
        Change::Moved {
            golden: golden_at,
            now: now_at,
        } => {
            let (from, to) = (golden.number(golden_at), now.number(now_at));
            let line = golden.line(golden_at).text();
            writeln!(
                text,
                "{MOVED}> event {from} is now event {to}: {line}{MOVED:#}"
            )
        }
        Change::Gone { golden: at } => {
            let (number, line) = (golden.number(at), golden.shown(at));
            writeln!(text, "{OLD}- event {number}: {line}{OLD:#}")
        }
        Change::New { now: at } => {
            let (number, line) = (now.number(at), now.shown(at));
            writeln!(text, "{NEW}+ event {number}: {line}{NEW:#}")
        }
    }
}

/// Shows the fields in which two events differ, including the time. If no field differs, shows the lines of both
/// events.
fn write_fields(text: &mut String, old: &EventLine, new: &EventLine) -> std::fmt::Result {
    const ABSENT: &str = "(absent)";
    let (old_fields, new_fields) = (old.fields(), new.fields());
    let of = |fields: &[(&str, &str)], key: &str| {
        let field = fields.iter().find(|(name, _)| *name == key);
        field.map_or(ABSENT.to_owned(), |(_, value)| (*value).to_owned())
    };
    let mut differing = Vec::new();
    if old.time() != new.time() {
        differing.push(("time", old.time().to_owned(), new.time().to_owned()));
    }
    let added = new_fields
        .iter()
        .filter(|(key, _)| !old_fields.iter().any(|(known, _)| known == key));
    for (key, _) in old_fields.iter().chain(added) {
        let (from, to) = (of(&old_fields, key), of(&new_fields, key));
        if from != to {
            differing.push((key, from, to));
        }
    }
    if differing.is_empty() {
        let (from, to) = (old.text(), new.text());
        return writeln!(text, "{OLD}- {from}{OLD:#}\n{NEW}+ {to}{NEW:#}");
    }
    for (key, from, to) in differing {
        let is_long = [&from, &to]
            .iter()
            .any(|value| value.chars().count() > VALUE_CHARS_MAX);
        let space = match is_long {
            true => format!("\n    {:1$}", "", key.len().saturating_sub(1)),
            false => " ".to_owned(),
        };
        writeln!(
            text,
            "    {key}: {OLD}{from}{OLD:#}{space}-> {NEW}{to}{NEW:#}"
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(golden: &str, now: &str) -> String {
        let events = |text: &str| {
            let lines = text.lines().map(|line| line.as_bytes().to_vec());
            Events::new(lines.collect(), 10)
        };
        let shown = show(&events(golden), &events(now));
        anstream::adapter::strip_str(&shown).to_string()
    }

    const GOLDEN: &str = "\
        1.000 us  a  x  wire-tx  packet=1 length=5\n\
        2.000 us  b  y  wire-rx  packet=1 length=5\n\
        3.000 us  b  y  drop  packet=1 reason=crc\n";

    #[test]
    fn traces_that_are_alike_do_not_differ() {
        assert_eq!(shown(GOLDEN, GOLDEN), "");
    }

    #[test]
    fn a_field_that_changed_shows_old_and_new() {
        let now = GOLDEN.replace("packet=1 length=5\n2", "packet=1 length=6 more=1\n2");
        assert_eq!(
            shown(GOLDEN, &now),
            "~ event 11: 1.000 us  a  x  wire-tx  packet=1 length=5\n    \
             length: 5 -> 6\n    more: (absent) -> 1\n"
        );
    }

    #[test]
    fn long_values_stand_one_above_the_other() {
        let golden = format!("1 us  a  x  wire-tx  payload={}", "5a".repeat(20));
        let now = golden.replace("payload=5a5a", "payload=5a3c");
        let (old, new) = ("5a".repeat(20), format!("5a3c{}", "5a".repeat(18)));
        let end = format!("\n    payload: {old}\n          -> {new}\n");
        assert!(
            shown(&golden, &now).ends_with(&end),
            "{}",
            shown(&golden, &now)
        );
    }

    #[test]
    fn an_event_that_moved_is_one_change() {
        let mut lines = GOLDEN.lines().collect::<Vec<_>>();
        let moved = lines.remove(0).replace("1.000", "9.000");
        lines.push(&moved);
        assert_eq!(
            shown(GOLDEN, &lines.join("\n")),
            "> event 11 is now event 13: 1.000 us  a  x  wire-tx  packet=1 length=5\n"
        );
    }

    #[test]
    fn consecutive_events_at_other_times_are_one_change() {
        let now = GOLDEN.replace("2.000", "2.500").replace("3.000", "3.500");
        assert_eq!(
            shown(GOLDEN, &now),
            "~ events 12 to 13, only their times differ, the first: 2.000 us -> 2.500 us  \
             b  y  wire-rx  packet=1 length=5\n"
        );
        let now = GOLDEN.replace("2.000", "2.500");
        assert_eq!(
            shown(GOLDEN, &now),
            "~ event 12: 2.000 us -> 2.500 us  b  y  wire-rx  packet=1 length=5\n"
        );
    }

    #[test]
    fn invisible_difference_is_named_in_full_columns() {
        let golden = GOLDEN.replace("b  y  wire-rx", "b\u{a0}y  wire-rx");
        assert_eq!(
            shown(&golden, GOLDEN),
            "~ event 12: 2.000 us  b\\u{a0}y  wire-rx  packet=1 length=5\n    \
             column 12 is U+00A0 in the golden trace, and 2 spaces now\n"
        );
        let golden = GOLDEN.replace("length=5\n2", "length=5  \n2") + "\n";
        assert_eq!(
            shown(&golden, GOLDEN),
            "~ event 11: 1.000 us  a  x  wire-tx  packet=1 length=5\n    \
             column 43 is 2 spaces in the golden trace, and the end of the line now\n\
             - event 14: (an empty line)\n"
        );
    }

    #[test]
    fn changes_beyond_the_limit_are_counted_by_kind() {
        let event = |number: usize, length: usize| {
            format!("1 us  a  x  tx  packet={number} length={length}\n")
        };
        let golden = (0..50).map(|number| event(number, 1)).collect::<String>();
        let now = (0..50).map(|number| event(number, 2)).collect::<String>();
        let shown = shown(&golden, &now);
        assert!(
            shown.ends_with("(10 more changes: 10 changed)\n"),
            "{shown}"
        );
        assert_eq!(shown.lines().count(), 2 * CHANGES_SHOWN_MAX + 1);
    }
}
