//! The generator of `docs/profiles.md`: every key of a profile, and its value in each built-in profile.

use std::fmt::Write;

use nic_core::sle::Need;

use crate::applet;
use crate::profile::{Absent, Entry, KEYS, Key, OPTIONAL, Profile, Receive, Source};
use crate::spec::InterfaceKind;

const HEAD: &str = "# Profiles

<!-- Written by `BLESS=1 cargo test -p tests --test repository profiles`. Change nic-runtime/src/profile, not this file. -->

A profile is the cost model of a NIC and its host: the time of each step, and the sizes of memories. A profile is a TOML
file with a `name` and the sections of this page. A scenario names a built-in profile (`profile = \"modern\"`) or the path
of a profile's file. The option `--profile` makes `jive paper` use a profile.

A profile writes a value alone, as in `receive = \"19.6us\"`, or writes a value with its source:
`receive = { value = \"19.6us\", from = \"fitted S1-45b\" }`.

| `from` | meaning |
|---|---|
| `paper S1-37` | statement S1-37 of [papers.md](papers.md) gives the value |
| `fitted S1-45b` | the value was chosen so that the simulation reproduces statement S1-45b of [papers.md](papers.md); a statement without a letter stands for all its parts |
| `scaled S1-37` | statement S1-37 of [papers.md](papers.md) gives the value for another clock, or it was fitted to the statement there; work takes as many cycles under both clocks |
| `chosen` | the value was neither measured nor fitted; a value that is written alone is `chosen` |

`jive paper` changes [each value of a profile](cost-model.md#kinds-of-evidence), and shows which figures depend on the
value.

A profile writes times in `ps`, `ns`, `us`, `ms` or `s`. A key written as \"time or cycles\" also takes a number of
cycles: `\"437 cycles\"` means 437 cycles of `processor.clock`. A profile writes sizes in `B`, `KB`, `MB`, `KiB` or `MiB`.
A rate is a size per second, such as `50MB/s`; a rate may also be in `GB/s`.

Two keys stand beside `name`, before the sections. They say what the NIC is, and take no source:

| key | meaning | written as | default |
|---|---|---|---|
| `receive` | Where the NIC puts the packets that arrive for its U-Net endpoints. With `staged`, they go into NIC memory, and an applet finds its packet in `RxBuf`. With `direct`, each packet goes by DMA into the next free buffer before a processor handles it, the NIC keeps the first `nic.header` bytes, and an applet has no `RxBuf` but the natives `rxOffset` and `peek` ([simulation.md](simulation.md#receiving-directly)). | `\"staged\"` or `\"direct\"` | `\"staged\"` |
| `natives` | What the NIC offers for natives besides what each NIC has: DMA between arrays and the buffer area, a timer for `doTimer`, and windows. An applet that calls a native which its NIC does not offer is refused when it is loaded; `jive verify --profile` asks beforehand. | list of `\"dma\"`, `\"timer\"` and `\"windows\"` | DMA and timer; windows too if the profile has `[clan]` |

";

/// Returns the page `docs/profiles.md`.
#[must_use]
pub fn profiles_page() -> String {
    let builtin: Vec<(&str, Vec<Entry>)> = Profile::builtin_names()
        .filter_map(|name| Some((name, Profile::builtin(name)?.entries())))
        .collect();
    let mut page = HEAD.to_owned();
    nics(&mut page);
    for keys in KEYS.chunk_by(|one, next| one.section == next.section) {
        section(&mut page, keys, &builtin);
    }
    page
}

/// The papers, as `docs/papers.md` numbers them.
const PAPERS: [(&str, &str); 4] = [
    ("S1-", "U-Net/SLE (S1)"),
    ("S2-", "Javia (S2)"),
    ("S3-", "EMP (S3)"),
    ("S5-", "CLAN (S5)"),
];

/// Writes the table of the built-in NICs.
fn nics(page: &mut String) {
    page.push_str(
        "## Built-in NICs\n\n\
         The name of a profile with `-switched` behind it is the same NIC with one port, for [networks of \
         switches](network.md). The words behind `applets` are what the NIC offers to natives. \
         [natives.md](natives.md) says which natives need what.\n\n\
         | profile | what it is | what it can do | values from the papers |\n|---|---|---|---|\n",
    );
    for name in Profile::builtin_names() {
        let (Some(profile), Some(purpose)) =
            (Profile::builtin(name), Profile::builtin_purpose(name))
        else {
            continue;
        };
        let can = can(&profile).join(", ");
        let papers = papers(&profile).join(", ");
        let papers = if papers.is_empty() { "none" } else { &papers };
        let _ = writeln!(page, "| `{name}` | {purpose} | {can} | {papers} |");
    }
    page.push('\n');
}

/// Returns what endpoints of a NIC with this profile may have.
fn can(profile: &Profile) -> Vec<String> {
    let is_direct = profile.receive == Receive::Direct;
    let has = |sections: &[&'static str]| profile.lacks(sections).is_none();
    let mut can = Vec::new();
    for (name, kind) in InterfaceKind::ALL {
        // The providers of VIs have costs of their own.
        let fits = !is_direct || kind == InterfaceKind::Unet;
        if fits && !kind.sections().is_empty() && has(kind.sections()) {
            can.push(format!("`{name}`"));
        }
    }
    for (word, sections) in [
        ("VIs with the provider `hardware`", &["base"][..]),
        ("VIs with the provider `clan`", &["via", "clan"]),
        ("windows", &["clan"]),
        ("semaphores of two processors", &["semaphore"]),
    ] {
        // A NIC that receives directly keeps headers alone, and a VI needs whole packets.
        if has(sections) && !(is_direct && word.starts_with("VIs")) {
            // The loop of a NIC in host software has a provider of its own.
            let word = match profile.is_on_host() {
                true => word.replace("hardware", "emulated"),
                false => word.to_owned(),
            };
            can.push(word);
        }
    }
    if has(applet::SECTIONS) {
        let natives = profile.offers().iter().map(Need::word);
        can.push(format!(
            "applets (`{}`)",
            natives.collect::<Vec<_>>().join("`, `")
        ));
    }
    can
}

/// Returns the papers that values of a profile come from, or are fitted to.
fn papers(profile: &Profile) -> Vec<&'static str> {
    let entries = profile.entries();
    let is_named = |prefix: &str| {
        entries.iter().any(|entry| match entry.source {
            Source::Paper(statement) | Source::Fitted(statement) | Source::Scaled(statement) => {
                statement.id().starts_with(prefix)
            }
            Source::Chosen => false,
        })
    };
    let named = PAPERS.iter().filter(|(prefix, _)| is_named(prefix));
    named.map(|&(_, paper)| paper).collect()
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
        let needs = who_needs(section);
        line(&match needs.is_empty() {
            true => format!("A profile may omit the section `[{section}]`.\n"),
            false => format!(
                "A profile may omit the section `[{section}]`, but {needs} needs `[{section}]`.\n"
            ),
        });
    }
    line("| key | meaning | written as | default |");
    line("|---|---|---|---|");
    for key in keys {
        let absent = match key.absent {
            None => "required".to_owned(),
            Some(Absent::Value(value)) => value(),
            Some(Absent::As(other)) => format!("value of `{other}`"),
        };
        line(&format!(
            "| `{}` | {} | {} | {absent} |",
            key.name,
            key.meaning.trim(),
            key.form
        ));
    }
    line("");
    let mut entries = builtin.iter().flat_map(|(_, entries)| entries);
    if entries.all(|entry| entry.key.section != *section) {
        return line("No built-in profile has this section.\n");
    }
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

/// Returns the interfaces or applets that need an optional section of a profile; nothing if none does.
fn who_needs(section: &str) -> String {
    let kinds = InterfaceKind::ALL.iter();
    let of_interface = kinds.filter(|(_, kind)| kind.sections().contains(&section));
    let mut needs: Vec<String> = of_interface
        .map(|(name, _)| format!("an endpoint of interface `{name}`"))
        .collect();
    if applet::SECTIONS.contains(&section) {
        needs.push("an applet".to_owned());
    }
    // The scenario reader checks the sections of the providers of VIs and of windows, which no interface lists.
    let of_provider: &[&str] = match section {
        "base" => &["a VI with the provider `hardware`"],
        "via" => &["a VI with the provider `clan`"],
        "clan" => &["a VI with the provider `clan`", "a window"],
        _ => &[],
    };
    needs.extend(of_provider.iter().map(|&need| need.to_owned()));
    needs.join(" or ")
}

fn shown(entry: &Entry) -> String {
    match entry.source {
        Source::Chosen => entry.value.clone(),
        source => format!("{}, {source}", entry.value),
    }
}
