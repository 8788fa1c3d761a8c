//! The scenario that a command is given: its file or its name, and the messages if it cannot be run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bumpalo::Bump;
use jive_core::{ClassFile, Cut, NativeDecl};
use jive_embed::diagnosis::sentence;
use jive_embed::text::{path_text, printable, printable_path};
use jive_embed::{FoundAt, LoadError, Rejection, Rejections, SourcePath, input, load_class};
use jive_verifier::Policy;
use nic_core::javia::{ProgramEntry, ViaNative};
use nic_core::sle::{Need, NicNative};
use nic_runtime::applet::{self, NotOffered};
use nic_runtime::profile::{Profile, Receive};
use nic_runtime::run::SimError;
use nic_runtime::scenario::{self, BUILTIN, Builtin, Settable, closest, limits};
use nic_runtime::spec::ClassSpec;
use nic_runtime::spec::Scenario;

use crate::scenario_report;

/// Whose fault it is that a scenario does not run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Blame {
    /// A class was rejected.
    Class,
    /// The scenario cannot be read, or does not fit the NICs.
    Scenario,
}

/// Returns the list of built-in scenarios, with a line for each scenario.
#[must_use]
pub fn builtin_list() -> String {
    BUILTIN
        .iter()
        .map(|Builtin { name, summary, .. }| format!("  {name:<15} {summary}\n"))
        .collect()
}

/// Returns the scenario file and the files that it names.
#[must_use]
pub fn inputs<'p>(path: &'p Path, scenario: &'p Scenario) -> Vec<&'p Path> {
    let named = scenario.files.iter().map(PathBuf::as_path);
    std::iter::once(path).chain(named).collect()
}

/// Reads a whole file, or fails if it is longer than a limit.
pub type ReadFile = fn(&Path, u64) -> Result<Vec<u8>, input::ReadError>;

/// Reads a scenario from a file or, if there is no such file, from the built-in scenarios.
///
/// # Errors
///
/// Returns the messages for the user.
pub fn load(name: &Path, seed: Option<u64>, read: ReadFile) -> Result<Scenario, Vec<String>> {
    load_with(name, (seed, &[]), read)
}

/// Reads a scenario as [`load`] does, after some of its keys were set, each as `PLACE=VALUE`.
///
/// # Errors
///
/// Returns the messages for the user.
pub fn load_with(
    name: &Path,
    (seed, settings): (Option<u64>, &[String]),
    read: ReadFile,
) -> Result<Scenario, Vec<String>> {
    let (bytes, directory) = settled(name, settings, read)?;
    scenario::parse(&bytes, directory.as_deref(), seed)
        .map_err(|error| shown(name, settings, &bytes, &error))
}

/// Returns the text of a scenario in full: without ranges and topology, and with the keys that were set.
///
/// # Errors
///
/// Returns the messages for the user if the scenario has mistakes.
pub fn written_out(
    name: &Path,
    settings: &[String],
    read: ReadFile,
) -> Result<String, Vec<String>> {
    let (bytes, directory) = settled(name, settings, read)?;
    scenario::parse(&bytes, directory.as_deref(), None)
        .and_then(|_| scenario::write_out(&bytes))
        .map_err(|error| shown(name, settings, &bytes, &error))
}

/// Returns the messages for the mistakes of a scenario, in which some keys were set.
fn shown(
    name: &Path,
    settings: &[String],
    bytes: &[u8],
    error: &scenario::ScenarioError,
) -> Vec<String> {
    // The lines of the changed text are not those of the file.
    let shown = match settings.is_empty() {
        true => name.to_owned(),
        false => PathBuf::from(format!("{} with `--set`", name.display())),
    };
    scenario_report::render(&shown, bytes, error)
}

/// Returns the text of a scenario with the keys that were set, and the directory that its file names are relative to.
fn settled(
    name: &Path,
    settings: &[String],
    read: ReadFile,
) -> Result<(Vec<u8>, Option<PathBuf>), Vec<String>> {
    let source = source(name, read);
    let (bytes, directory) = source.map_err(|error| vec![unreadable(name, error)])?;
    if bytes.starts_with(&CLASS_MAGIC) {
        return Err(vec![not_a_scenario(name)]);
    }
    let bytes = match settings.is_empty() {
        true => bytes,
        false => set(&bytes, settings).map_err(|title| vec![sentence(&title, &[])])?,
    };
    Ok((bytes, directory))
}

/// Sets keys in the text of a scenario. Mistakes of the scenario are then shown in the text with these keys.
fn set(bytes: &[u8], settings: &[String]) -> Result<Vec<u8>, String> {
    let mut text = Settable::new(bytes).map_err(|error| error.to_string())?;
    for setting in settings {
        let (place, value) = setting.split_once('=').ok_or_else(|| {
            format!(
                "expected a setting such as `link.0.loss=0.1`, found `{}`",
                printable(setting)
            )
        })?;
        text.set(place.trim(), value.trim()).map_err(|error| {
            format!(
                "`--set {}`: {}",
                printable(setting),
                printable(&error.to_string())
            )
        })?;
    }
    Ok(text.text().into_bytes())
}

/// Returns a scenario's bytes, and the directory that its file names are relative to.
fn source(name: &Path, read: ReadFile) -> Result<(Vec<u8>, Option<PathBuf>), input::ReadError> {
    match read(name, limits::FILE_BYTES_MAX) {
        Ok(bytes) => Ok((bytes, name.parent().map(Path::to_owned))),
        Err(error) => match name.to_str().and_then(scenario::builtin) {
            Some(builtin) => Ok((builtin.text.as_bytes().to_vec(), None)),
            None => Err(error),
        },
    }
}

/// Returns a scenario's text, to show places in it. If the scenario came from a pipe, which cannot be read again, the
/// text is empty.
#[must_use]
pub fn text_of(name: &Path) -> Vec<u8> {
    let source = source(name, input::read_file);
    source.map_or(Vec::new(), |(bytes, _)| bytes)
}

/// The bytes that every class file begins with (JVMS §4.1).
const CLASS_MAGIC: [u8; 4] = [0xca, 0xfe, 0xba, 0xbe];

/// Returns the message for a class file that is given in place of a scenario.
fn not_a_scenario(path: &Path) -> String {
    let shown = printable_path(path);
    let notes = [
        format!("`jive run --applet {shown} --in CAPTURE` runs it on the packets of a capture"),
        format!("`jive packet {shown} --rx BYTES` runs it on one packet"),
        "a scenario names the class: `applet = \"NAME.class\"`, see `jive init`".to_owned(),
    ];
    sentence(
        &format!("expected a scenario, found the class file {shown}"),
        &notes,
    )
}

fn unreadable(path: &Path, error: input::ReadError) -> String {
    let name = &*path_text(path);
    let mut notes = Vec::new();
    if error == input::ReadError::Missing && !name.contains(['/', '.']) {
        if let Some(word) = closest(name, BUILTIN.iter().map(|builtin| builtin.name)) {
            notes.push(format!("did you mean `{word}`?"));
        }
        notes.push(format!(
            "built-in scenarios are\n{}",
            builtin_list().trim_end()
        ));
    }
    sentence(
        &format!("cannot read the scenario {}: {error}", printable(name)),
        &notes,
    )
}

/// Returns the file that a class of a scenario was read from, and its bytes.
#[must_use]
pub fn class_file<'s>(name: &Path, scenario: &'s Scenario, class: usize) -> (PathBuf, &'s [u8]) {
    let ClassSpec { origin, bytes } = &scenario.classes[class];
    let beside = name.parent().unwrap_or(Path::new(""));
    if origin.starts_with(scenario::BUILTIN_PREFIX) {
        (PathBuf::from(origin), bytes)
    } else {
        (beside.join(origin), bytes)
    }
}

/// Describes the faults of every rejected class that an endpoint of a scenario begins with, or that a process runs.
fn rejected_classes((name, source_path): (&Path, SourcePath<'_>), scenario: &Scenario) -> String {
    let mut reports = Vec::new();
    let used = scenario.endpoints.iter().flat_map(|endpoint| {
        let receive = scenario.profile_of(endpoint.nic).receive;
        endpoint.applets().map(move |(class, _)| (class, receive))
    });
    let used: BTreeSet<_> = used.collect();
    for (class, receive) in used {
        let policy = receive.policy();
        let (file, bytes) = class_file(name, scenario, class);
        let arena = Bump::new();
        if let Err(error) = load_class(&arena, bytes, policy, NicNative::TABLE) {
            let file = file.as_path();
            let found = FoundAt { file, source_path };
            let rejections = faults(found, bytes, policy, error);
            reports.push(rejections.render());
        }
    }
    for spec in &scenario.programs {
        let (file, bytes) = class_file(name, scenario, spec.class);
        let arena = Bump::new();
        let natives = ViaNative::TABLE;
        if let Err(error) = load_class(&arena, bytes, PROGRAM, natives) {
            let file = file.as_path();
            let found = FoundAt { file, source_path };
            let rejections = Rejections::explore(found, bytes, PROGRAM, natives, error);
            reports.push(rejections.render());
        }
    }
    reports.join("\n\n")
}

/// What the verifier requires of a class that a process runs.
const PROGRAM: Policy = Policy::Program {
    entries: ProgramEntry::TABLE,
};

/// Returns the faults of a rejected class. The help for an applet of the other kind of NIC names that kind.
#[must_use]
pub fn faults(found: FoundAt<'_>, bytes: &[u8], policy: Policy, error: LoadError) -> Rejections {
    let mut faults = Rejections::explore(found, bytes, policy, natives_of(policy), error);
    let arena = Bump::new();
    let is_accepted = |policy| load_class(&arena, bytes, policy, natives_of(policy)).is_ok();
    let program = Policy::Program {
        entries: ProgramEntry::TABLE,
    };
    match policy {
        Policy::Applet { .. } | Policy::DirectApplet { .. } if is_accepted(program) => {
            faults.first_mut().help = Some(
                "The class is a program for a host: judge it with `jive verify --program`, or give it to a \
                 `[[process]]` of a scenario."
                    .to_owned(),
            );
            return faults;
        }
        Policy::Program { .. }
            if is_accepted(Receive::Staged.policy()) || is_accepted(Receive::Direct.policy()) =>
        {
            faults.first_mut().help = Some(
                "The class is an applet for a NIC: give it to an `[[endpoint]]` of a scenario. A program has \
                 `static int run()`."
                    .to_owned(),
            );
            return faults;
        }
        Policy::Applet { .. }
        | Policy::DirectApplet { .. }
        | Policy::Program { .. }
        | Policy::ClassOnly => {}
    }
    let is_staged = policy == Receive::Staged.policy();
    let direct = Receive::Direct.policy();
    // A field whose name differs in case alone is a misspelt `RxBuf`.
    let is_misspelt = |class: &ClassFile<'_>| {
        let mut fields = class.fields();
        fields.any(|field| field.name.to_string().eq_ignore_ascii_case("RxBuf"))
    };
    if is_staged
        && let Ok(loaded) = load_class(&arena, bytes, direct, NicNative::TABLE)
        && !is_misspelt(&loaded.class)
    {
        let offering = builtin_offering(Need::Direct);
        faults.first_mut().help = Some(format!(
            "The class is an applet for a NIC that receives directly: use it on one, such as {offering}, or declare \
             `byte[] RxBuf` for packets."
        ));
    }
    faults
}

/// Returns the natives that a class may call if it is verified under a policy.
#[must_use]
pub fn natives_of(policy: Policy) -> &'static [NativeDecl<'static>] {
    match policy {
        Policy::Program { .. } => ViaNative::TABLE,
        Policy::Applet { .. } | Policy::DirectApplet { .. } | Policy::ClassOnly => NicNative::TABLE,
    }
}

/// Returns the names of the built-in profiles whose NICs offer a facility.
fn builtin_offering(need: Need) -> String {
    let names = Profile::builtin_offering(need).map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}

/// Describes the calls of natives in a verified class that a NIC with this profile does not offer.
#[must_use]
pub fn not_offered_by(found: FoundAt<'_>, bytes: &[u8], profile: &Profile) -> Option<Rejections> {
    let mut index = vec![0; ClassFile::index_len(bytes)];
    let class = ClassFile::parse(bytes, &mut index).ok()?;
    let calls = applet::not_offered(&class, profile.offers());
    let told = calls.map(|call| {
        let (native, name) = (call.native.decl().name, printable(&profile.name));
        let name = Cut(&name);
        let message = format!("the profile `{name}` does not offer `{native}`");
        let place = (call.method, call.pc);
        let mut told = Rejection::at(found, &class, place, (NotOffered::CODE, message));
        let offering = builtin_offering(call.need);
        let needs = call.need.word();
        told.help = Some(format!(
            "`{native}` needs a NIC with `{needs}`; built-in profiles that have it: {offering}"
        ));
        told
    });
    Rejections::listed(told.collect())
}

/// Describes why a scenario cannot be run, and returns whose fault it is.
///
/// `source_path` says where Java sources may be.
#[must_use]
pub fn refusal(
    (name, source_path): (&Path, SourcePath<'_>),
    scenario: &Scenario,
    error: SimError,
) -> (Blame, String) {
    let shown = printable_path(name);
    match error {
        SimError::Class { .. } => (
            Blame::Class,
            rejected_classes((name, source_path), scenario),
        ),
        SimError::Applet { class, error } => {
            let (file, bytes) = class_file(name, scenario, class);
            let rejection = Rejection::of_use(&file, bytes, error.code(), error.to_string());
            (Blame::Class, rejection.render())
        }
        SimError::NotOffered { class, nic, .. } => {
            let (file, bytes) = class_file(name, scenario, class);
            let file = file.as_path();
            let found = FoundAt { file, source_path };
            let profile = scenario.profile_of(nic);
            let report = not_offered_by(found, bytes, profile);
            (Blame::Class, report.map_or(shown, |all| all.render()))
        }
        SimError::SramTooSmall(demand) => {
            let nic = &scenario.nics[demand.nic.0 as usize];
            let title = format!("on NIC {}, {demand}", printable(&nic.name));
            let help = "give the NIC more `sram`, or its endpoints less `heap` and shorter queues";
            let text = text_of(name);
            let report =
                scenario_report::render_one(name, &text, nic.sram_place, title, help.to_owned());
            (Blame::Scenario, report)
        }
        SimError::PayloadTooLong { .. }
        | SimError::NoProcess { .. }
        | SimError::NobodyConnects { .. }
        | SimError::NoLink { .. } => (Blame::Scenario, sentence(&format!("{shown}: {error}"), &[])),
    }
}
