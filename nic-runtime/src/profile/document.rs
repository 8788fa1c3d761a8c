//! The page `docs/profiles.md`: every key, and its value in each profile that comes with the program.

use std::fmt::Write;

use super::{Absent, Entry, KEYS, Key, OPTIONAL, Profile, Source};
use crate::interface::InterfaceKind;
use crate::sle;

const HEAD: &str = "# Profiles

<!-- Written by `cargo run -p tests --bin profiles`. -->

A profile is the cost model of a NIC and its host: what each step takes, and how much memory there is. A scenario names
one (`profile = \"modern\"`) or a path to one; `jive paper` takes one with `--profile`. It is a TOML file with a `name`
and the sections below.

A value stands alone, `receive = \"19.6us\"`, or says where it comes from:
`receive = { value = \"19.6us\", from = \"fitted S1-45\" }`.

| `from` | meaning |
|---|---|
| `paper S1-37` | this statement of [papers.md](papers.md) gives the value |
| `fitted S1-45` | the value was chosen so that what this statement says comes out |
| `chosen` | nobody measured it; also where `from` is absent |

`jive paper` [moves](cost-model.md) each value that no paper gives to see which figures hang on it.

Times are written in `ps`, `ns`, `us`, `ms` or `s`. Where a key takes cycles too, `\"437 cycles\"` are cycles of
`processor.clock`. Sizes are in `B`, `KB`, `MB`, `KiB` or `MiB`, rates in those per second or in `GB/s`.

";

/// Returns the page `docs/profiles.md`.
#[must_use]
pub fn document() -> String {
    let builtin: Vec<(&str, Vec<Entry>)> = Profile::builtin_names()
        .filter_map(|name| Some((name, Profile::builtin(name)?.entries())))
        .collect();
    let mut page = HEAD.to_owned();
    for keys in KEYS.chunk_by(|one, next| one.section == next.section) {
        section(&mut page, keys, &builtin);
    }
    page
}

fn section(page: &mut String, keys: &[Key], builtin: &[(&str, Vec<Entry>)]) {
    let Some(Key { section, .. }) = keys.first() else {
        return;
    };
    let mut line = |text: &str| {
        page.push_str(text);
        page.push('\n');
    };
    line(&format!("## `[{section}]`\n"));
    if OPTIONAL.contains(section) {
        line(&format!(
            "A profile may be without it; {} needs it.\n",
            who_needs(section)
        ));
    }
    line("| key | meaning | written as | where absent |");
    line("|---|---|---|---|");
    for key in keys {
        let absent = match key.absent {
            None => "must be there".to_owned(),
            Some(Absent::Value(value)) => value(),
            Some(Absent::As(other)) => format!("as `{other}`"),
        };
        line(&format!(
            "| `{}` | {} | {} | {absent} |",
            key.name,
            key.meaning.trim(),
            key.form
        ));
    }
    line("");
    let mut names = "| |".to_owned();
    let mut rule = "|---|".to_owned();
    for (name, _) in builtin {
        let _ = write!(names, " `{name}` |");
        rule.push_str("---|");
    }
    line(&names);
    line(&rule);
    for key in keys {
        let mut row = format!("| `{}` |", key.name);
        for (_, entries) in builtin {
            let entry = entries.iter().find(|entry| entry.key.path() == key.path());
            let _ = write!(row, " {} |", entry.map(shown).unwrap_or_default());
        }
        line(&row);
    }
    line("");
}

/// Returns what on a NIC needs a section that its profile may lack.
fn who_needs(section: &str) -> String {
    let kinds = InterfaceKind::ALL.iter();
    let of_interface = kinds.filter(|(_, kind)| kind.sections().contains(&section));
    let mut needs: Vec<String> = of_interface
        .map(|(name, _)| format!("an endpoint of interface `{name}`"))
        .collect();
    if sle::SECTIONS.contains(&section) {
        needs.push("an applet".to_owned());
    }
    needs.join(" or ")
}

fn shown(entry: &Entry) -> String {
    match entry.source {
        Source::Chosen => entry.value.clone(),
        source => format!("{}, {source}", entry.value),
    }
}
