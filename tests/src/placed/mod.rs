//! Compares the stated worst case of applets with their calls in the simulator: in chains, beside busy processors, after
//! swaps and capsules, for every cause of a call.

mod scenario;
mod watcher;

use core::fmt;
use nic_runtime::Run;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jive_core::ClassFile;
use jive_embed::analysis::Bounds;
use jive_lab::Random;
use nic_core::id::EndpointId;
use nic_core::sle::NicEntry;
use nic_core::time::SimDuration;
use nic_runtime::applet::{AppletSite, environment};
use nic_runtime::export::executions::Executions;
use nic_runtime::profile::Profile;
use nic_runtime::scenario::parse;
use nic_runtime::spec::Scenario;

use self::scenario::{Applet, Case, draw};
use self::watcher::{Stated, Watcher};

/// Kinds of calls, each of which the law must have compared. Calls that wait or yield count if their time has a bound,
/// other calls if their bytecodes have one.
pub const KINDS: [&str; 26] = [
    "doTx",
    "doRx",
    "doTimer",
    "doRefill",
    "doWatch",
    "doTx in a chain, from above",
    "doRx in a chain, from below",
    "doRefill in a chain, after the first",
    "over unet",
    "over via",
    "over emp",
    "beside windows",
    "with two processors",
    "with contention",
    "with state",
    "that a swap brought",
    "that a capsule brought",
    "that another may replace",
    "yielded",
    "suspended",
    "waited for a slot",
    "waited for an engine",
    "waited for a transfer",
    "trapped",
    "with a small buffer area",
    "in a chain",
];

/// Counts of compared calls.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Number of scenarios.
    pub scenarios: u64,
    /// Number of calls.
    pub calls: u64,
    /// Number of calls whose bytecodes have a bound.
    pub bounded: u64,
    /// Number of calls that executed exactly the stated bytecodes.
    pub tight: u64,
    /// Number of calls that took the stated time, to the nanosecond.
    pub tight_in_time: u64,
    /// Number of compared calls of each of [`KINDS`].
    pub kinds: BTreeMap<String, u64>,
}

impl Tally {
    /// Returns the kinds of calls of which none was compared.
    pub fn missing(&self) -> Vec<&'static str> {
        let is_missing = |kind: &&str| self.kinds.get(*kind).is_none_or(|count| *count == 0);
        KINDS.into_iter().filter(is_missing).collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally {
            scenarios,
            calls,
            bounded,
            tight,
            tight_in_time,
            kinds,
        } = self;
        write!(
            f,
            "{calls} calls in {scenarios} scenarios, {bounded} with a bound, {tight} exactly at it, {tight_in_time} at \
             the stated time; {kinds:?}"
        )
    }
}

/// Runs the random scenario with this number, and compares each call with what is stated.
///
/// # Errors
///
/// Returns the first call that costs more than is stated, with the scenario.
pub fn compare(number: u64, tally: &mut Tally) -> Result<(), String> {
    let mut random = Random::new(&number.to_be_bytes());
    let case = draw(&mut random)?;
    let fail = |what: String| {
        let applets = case.applets.values();
        let sources = applets.map(|applet| &*applet.source).collect::<String>();
        format!(
            "scenario {number}: {what}\n{}\n{sources}\n{}",
            case.toml, case.profile
        )
    };
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let write = |name: String, bytes: &[u8]| {
        let path = directory.path().join(name);
        fs::write(path, bytes).map_err(|error| error.to_string())
    };
    write("p.toml".to_owned(), case.profile.as_bytes())?;
    for (name, applet) in &case.applets {
        write(format!("{name}.class"), &applet.bytes)?;
    }
    let scenario = read(&case.toml, directory.path()).map_err(fail)?;
    let mut stated = BTreeMap::new();
    for (name, applet) in &case.applets {
        let found = state(&scenario, &case, name, applet);
        stated.insert(name.clone(), found.map_err(fail)?);
    }
    let mut watcher = Watcher::new(stated, std::mem::take(tally));
    let ended = Run::new(&scenario)
        .sink(&mut watcher)
        .execute()
        .map(|outcome| outcome.end);
    *tally = std::mem::take(&mut watcher.tally);
    tally.scenarios += 1;
    ended.map_err(|error| fail(error.to_string()))?;
    if let Some(excess) = watcher.excess {
        return Err(fail(excess));
    }
    sums(&watcher.executions).map_err(fail)
}

fn read(toml: &str, directory: &Path) -> Result<Scenario, String> {
    parse(toml.as_bytes(), Some(directory), None).map_err(|error| format!("{error:?}"))
}

/// Returns what is stated of the calls of a class.
fn state(scenario: &Scenario, case: &Case, name: &str, applet: &Applet) -> Result<Stated, String> {
    let id = EndpointId(applet.endpoint);
    let site = AppletSite::of(scenario, id, applet.position).ok_or("the place is there")?;
    let spec = &scenario.endpoints[applet.endpoint as usize];
    let profile = scenario.profile_of(spec.nic);
    let around = environment(profile, &site);
    let mut index = vec![0; ClassFile::index_len(&applet.bytes)];
    let class = ClassFile::parse(&applet.bytes, &mut index).map_err(|error| error.to_string())?;
    let interface = match case.interface {
        "via" => "over via",
        "emp" => "over emp",
        "windows" => "beside windows",
        _ => "over unet",
    };
    let is_chain = site.has_above || site.has_below;
    let has_contention = site.has_neighbour && profile.processor.contention > 1_000;
    let kinds = [
        (true, interface),
        (is_chain, "in a chain"),
        (site.has_neighbour, "with two processors"),
        (has_contention, "with contention"),
        (!spec.state.is_empty(), "with state"),
        (name.starts_with('W'), "that a swap brought"),
        (name.starts_with('N'), "that a capsule brought"),
        (scenario.may_replace_applet(id), "that another may replace"),
        (
            site.buffer_area < site.max_packet,
            "with a small buffer area",
        ),
    ];
    let kinds = kinds
        .into_iter()
        .filter_map(|(is, kind)| is.then_some(kind));
    Ok(Stated {
        bounds: Bounds::of(class, &around).entry_points,
        environment: around,
        setups: setups(profile, &site),
        shows_engines: profile.dma.descriptor == 0 && !profile.sends_in_turn(),
        has_above: site.has_above,
        has_below: site.has_below,
        kinds: kinds.collect(),
    })
}

/// Returns the longest time before the call of each entry, in picoseconds.
fn setups(profile: &Profile, site: &AppletSite) -> BTreeMap<&'static str, u64> {
    let factor = if site.has_neighbour {
        profile.processor.contention
    } else {
        1_000
    };
    let setup = |entry: &NicEntry| {
        let costs = profile.entry?;
        let setup = match entry {
            NicEntry::DoTx => costs.tx_setup,
            NicEntry::DoRx => costs.rx_setup,
            NicEntry::DoTimer => costs.timer_setup,
            NicEntry::DoRefill => costs.refill_setup,
            NicEntry::DoWatch | NicEntry::DoRead => costs.watch_setup,
        };
        Some((setup.as_ps() * u64::from(factor)).div_ceil(1_000))
    };
    let entries = NicEntry::ALL.iter();
    entries
        .map(|entry| (entry.decl().name, setup(entry).unwrap_or_default()))
        .collect()
}

/// Checks that the profile of a run has the same totals by chain of calls and by method.
fn sums(executions: &Executions) -> Result<(), String> {
    for (class, spent) in executions.classes() {
        let (mut count, mut time) = (0, SimDuration::ZERO);
        for (_, spent) in executions.chains(*class) {
            count += spent.count;
            time += spent.time;
        }
        let (mut of_methods, mut time_of_methods) = (0, SimDuration::ZERO);
        for method in spent.methods.values() {
            time_of_methods += method.entry;
            for place in &method.places {
                of_methods += place.executions;
                time_of_methods += place.time + place.natives.time;
            }
        }
        if (count, time) != (of_methods, time_of_methods) {
            return Err(format!(
                "profile of {}: {count} instructions in {time} by chain, {of_methods} in {time_of_methods} by method",
                spent.name
            ));
        }
    }
    Ok(())
}
