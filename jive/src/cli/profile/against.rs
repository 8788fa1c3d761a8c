//! `jive profile --against`: what changed since an earlier profile.

use std::fmt;

use jive_embed::text::printable;
use serde::Serialize;

use super::report::{Class, Line, Method, Report};
use super::text::microseconds;

/// A number in the earlier profile and in the newer one.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Change {
    before: u64,
    now: u64,
}

/// The changes of a method.
#[derive(Debug, Serialize)]
pub(super) struct MethodChange {
    class: String,
    method: String,
    calls: Change,
    bytecodes: Change,
    time_ns: Change,
    lines: Vec<LineChange>,
}

/// The changes of a line. Lines are the same if their text is the same, or their number where a text is missing.
#[derive(Debug, Serialize)]
pub(super) struct LineChange {
    /// The line's number in the earlier class, if that class has the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<u16>,
    /// The line's number in the newer class, if that class has the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<u16>,
    bytecodes: Change,
    time_ns: Change,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

/// The changes between two profiles, method by method. Methods without a change are left out.
#[derive(Debug, Serialize)]
pub(super) struct Changes {
    pub(super) bytecodes: Change,
    pub(super) time_ns: Change,
    pub(super) methods: Vec<MethodChange>,
}

impl Changes {
    /// Compares two profiles. Classes and methods are the same if they have the same name.
    pub(super) fn between(before: &Report, now: &Report) -> Changes {
        let mut names = Vec::new();
        for class in now.classes.iter().chain(&before.classes) {
            for method in &class.methods {
                let name = (&class.class, &method.method);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let changed = names.into_iter().filter_map(|(class, method)| {
            let (old, new) = (find(before, class, method), find(now, class, method));
            let change = MethodChange::between((class, method), old, new);
            change.is_any().then_some(change)
        });
        let sum = |report: &Report, of: fn(&Class) -> u64| report.classes.iter().map(of).sum();
        Changes {
            methods: changed.collect(),
            bytecodes: Change {
                before: sum(before, |class| class.bytecodes),
                now: sum(now, |class| class.bytecodes),
            },
            time_ns: Change {
                before: sum(before, |class| class.time_ns),
                now: sum(now, |class| class.time_ns),
            },
        }
    }
}

fn find<'r>(report: &'r Report, class: &str, method: &str) -> Option<&'r Method> {
    let class = report.classes.iter().find(|row| row.class == class)?;
    class.methods.iter().find(|row| row.method == method)
}

impl MethodChange {
    fn between(
        (class, method): (&str, &str),
        before: Option<&Method>,
        now: Option<&Method>,
    ) -> MethodChange {
        let change = |of: fn(&Method) -> u64| Change {
            before: before.map_or(0, of),
            now: now.map_or(0, of),
        };
        let lines = |method: Option<&Method>| {
            let lines = method.map(|method| method.lines.clone());
            lines.unwrap_or_default()
        };
        MethodChange {
            class: class.to_owned(),
            method: method.to_owned(),
            calls: change(|method| method.calls),
            bytecodes: change(|method| method.bytecodes),
            time_ns: change(|method| method.time_ns),
            lines: line_changes(lines(before), lines(now)),
        }
    }

    fn is_any(&self) -> bool {
        let all = [self.calls, self.bytecodes, self.time_ns];
        all.iter().any(|change| change.is_any()) || !self.lines.is_empty()
    }
}

impl Change {
    fn is_any(self) -> bool {
        self.before != self.now
    }
}

/// Returns the lines whose bytecodes or time changed, the lines of the newer class first.
fn line_changes(mut before: Vec<Line>, now: Vec<Line>) -> Vec<LineChange> {
    let mut changes = Vec::new();
    for line in now {
        let same = |old: &Line| match (&old.source, &line.source) {
            (Some(old), Some(new)) => old == new,
            _ => old.line == line.line,
        };
        let place = before.iter().position(same);
        let old = place.map(|place| before.remove(place));
        changes.push(line_change(old.as_ref(), Some(&line)));
    }
    changes.extend(before.iter().map(|old| line_change(Some(old), None)));
    changes.retain(|change| change.bytecodes.is_any() || change.time_ns.is_any());
    changes
}

fn line_change(before: Option<&Line>, now: Option<&Line>) -> LineChange {
    let change = |of: fn(&Line) -> u64| Change {
        before: before.map_or(0, of),
        now: now.map_or(0, of),
    };
    LineChange {
        before: before.and_then(|line| line.line),
        now: now.and_then(|line| line.line),
        bytecodes: change(|line| line.bytecodes),
        time_ns: change(|line| line.time_ns),
        source: now.or(before).and_then(|line| line.source.clone()),
    }
}

/// Shows two numbers with the change in percent.
struct Shown(Change, fn(u64) -> String);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown(Change { before, now }, show) = self;
        if before == now {
            return write!(f, "{}", show(*now));
        }
        write!(f, "{} -> {}", show(*before), show(*now))?;
        if *before == 0 {
            return Ok(());
        }
        let (sign, more) = if now > before {
            ('+', now - before)
        } else {
            ('-', before - now)
        };
        let tenths = u128::from(more) * 1000 / u128::from(*before);
        write!(f, " ({sign}{}.{} %)", tenths / 10, tenths % 10)
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |count: u64| count.to_string();
        writeln!(f, "bytecodes  {}", Shown(self.bytecodes, count))?;
        writeln!(f, "time       {}", Shown(self.time_ns, microseconds))?;
        for change in &self.methods {
            writeln!(f, "\n{}.{}", change.class, change.method)?;
            writeln!(f, "  calls      {}", Shown(change.calls, count))?;
            writeln!(f, "  bytecodes  {}", Shown(change.bytecodes, count))?;
            writeln!(f, "  time       {}", Shown(change.time_ns, microseconds))?;
            for line in &change.lines {
                let number = line.now.or(line.before);
                let place =
                    number.map_or_else(|| "no line".to_owned(), |line| format!("line {line}"));
                let word = match (line.before, line.now) {
                    (None, Some(_)) => " (new)",
                    (Some(_), None) => " (gone)",
                    _ => "",
                };
                let source = line.source.as_deref().map(printable);
                let source = source.map_or_else(String::new, |text| format!("  {text}"));
                writeln!(
                    f,
                    "  {place}{word}: {}{source}",
                    Shown(line.bytecodes, count)
                )?;
            }
        }
        if self.methods.is_empty() {
            writeln!(f, "nothing changed")?;
        }
        Ok(())
    }
}
