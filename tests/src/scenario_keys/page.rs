//! The key tables of `docs/scenario.md`.

use nic_runtime::scenario::{Absent, Form, LISTS, Row, SECTIONS, Section};

/// The comment before a table of keys, which ends at the next empty line.
const MARK: &str = "<!-- keys of ";

/// Returns the page with its key tables made anew.
///
/// # Panics
///
/// Panics if a comment of the page names no section, or if no comment names a section.
#[must_use]
pub fn page(page: &str) -> String {
    let mut lines = page.lines();
    let mut made = String::new();
    let mut missing: Vec<&str> = SECTIONS.iter().chain(LISTS).map(|it| it.what).collect();
    while let Some(line) = lines.next() {
        made.push_str(line);
        made.push('\n');
        let name = line.strip_prefix(MARK);
        let Some(name) = name.and_then(|name| name.strip_suffix(" -->")) else {
            continue;
        };
        let mut sections = SECTIONS.iter().chain(LISTS);
        let section = sections.find(|section| section.what.replace('`', "") == name);
        let section = section.unwrap_or_else(|| panic!("{name} is no table of a scenario"));
        missing.retain(|what| *what != section.what);
        made.push('\n');
        made.push_str(&table(section));
        made.push('\n');
        // Skip the table as it was, between two empty lines.
        lines.next();
        for line in lines.by_ref() {
            if line.is_empty() {
                break;
            }
        }
    }
    assert_eq!(missing, [""; 0], "sections without a table in the page");
    made
}

fn table(section: &Section) -> String {
    if section.each.is_some() {
        let names: Vec<String> = section.names.iter().map(|name| quoted(name)).collect();
        return filled(&names);
    }
    let mut table = "| key | value | default | meaning |\n|---|---|---|---|\n".to_owned();
    for row in section.keys {
        // The tables of a scenario have headings of their own.
        if !is_table((row.form)()) || section.what != "the scenario" {
            let Row { name, meaning, .. } = row;
            let value = value((row.form)());
            let meaning = meaning.trim();
            table += &format!("| `{name}` | {value} | {} | {meaning} |\n", absent(row));
        }
    }
    table
}

/// Returns words with commas, in lines of at most 120 characters.
fn filled(words: &[String]) -> String {
    let mut lines = vec![String::new()];
    for (place, word) in words.iter().enumerate() {
        let comma = if place + 1 < words.len() { "," } else { "" };
        let line = lines.last_mut().expect("there is one");
        match line.len() + word.len() + 2 {
            1..=110 if line.is_empty() => *line = format!("{word}{comma}"),
            1..=110 => *line += &format!(" {word}{comma}"),
            _ => lines.push(format!("{word}{comma}")),
        }
    }
    lines.join("\n") + "\n"
}

fn is_table(form: Form) -> bool {
    match form {
        Form::Table(..) | Form::Map(_) | Form::Anything => true,
        Form::List(of, ..) => is_table(*of),
        _ => false,
    }
}

fn quoted(word: &str) -> String {
    format!("`{word}`")
}

fn absent(row: &Row) -> String {
    match row.absent {
        Absent::Required => "required".to_owned(),
        Absent::Said(words) => words.to_owned(),
        Absent::Value(value) => match (row.form)() {
            Form::Text
            | Form::Name
            | Form::NameOf(_)
            | Form::Time
            | Form::Rate
            | Form::Words(_) => {
                format!("`\"{value}\"`")
            }
            _ => value.to_owned(),
        },
    }
}

/// Shows a number; one less than a large power of two is shown as such.
fn number(number: u64) -> String {
    match number.checked_add(1) {
        None => "2⁶⁴-1".to_owned(),
        Some(0x1_0000_0000) => "2³²-1".to_owned(),
        Some(0x8000_0000) => "2³¹-1".to_owned(),
        Some(_) => number.to_string(),
    }
}

fn either(words: &[String]) -> String {
    match words {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        words => words.concat(),
    }
}

/// Returns the form of a value in words.
fn value(form: Form) -> String {
    match form {
        Form::Text => "text".to_owned(),
        Form::Name => "name".to_owned(),
        Form::NameOf(named) => format!("name of {}", named.noun()),
        Form::Integer(0, u64::MAX) => "number".to_owned(),
        Form::Integer(minimum, maximum) => match u64::try_from(minimum) {
            Ok(minimum) => format!("{} to {}", number(minimum), number(maximum)),
            Err(_) => "number".to_owned(),
        },
        Form::Size(minimum, maximum) => format!("size, {} to {}", number(minimum), number(maximum)),
        Form::Time => "time".to_owned(),
        Form::Rate => "bandwidth".to_owned(),
        Form::Probability => "0.0 to 1.0".to_owned(),
        Form::Positive => "number above 0".to_owned(),
        Form::Flag => "`true` or `false`".to_owned(),
        Form::Words(words) if words.len() > 8 => "word".to_owned(),
        Form::Words(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
            either(&words)
        }
        Form::Table(..) | Form::Map(_) | Form::Anything => "table".to_owned(),
        Form::List(of, least, most) => match (*of, least == most) {
            (Form::NameOf(named), true) => {
                format!("list of {most} names, each of {}", named.noun())
            }
            (of, _) => format!("list of {}", plural(of)),
        },
        Form::Either(forms) => {
            let mut words: Vec<String> = forms.into_iter().map(value).collect();
            words.dedup();
            either(&words)
        }
    }
}

fn plural(form: Form) -> String {
    match form {
        Form::Table(..) | Form::Map(_) => "tables".to_owned(),
        Form::Text => "texts".to_owned(),
        Form::List(..) => "pairs".to_owned(),
        _ => "values".to_owned(),
    }
}
