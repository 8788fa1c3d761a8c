//! Compares the stated worst case of applets with their calls in the simulator: in chains, beside busy processors, after
//! swaps and capsules, for every cause of a call.

use core::fmt;
use core::fmt::Write as _;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jive_core::ClassFile;
use jive_core::limits::{ARRAY_ALIGNMENT, ARRAY_HEADER_BYTES};
use jive_embed::analysis::{Bound, Bounds, Environment};
use jive_embed::verify_class;
use jive_lab::Random;
use jive_lab::asm::assemble;
use jive_verifier::Policy;
use nic_core::event::roles::Step;
use nic_core::event::{Event, EventKind, Executed, Names, Sink, SleEvent};
use nic_core::id::EndpointId;
use nic_core::sle::{NativeArg, NicEntry, NicNative};
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::export::executions::Executions;
use nic_runtime::scenario::{Scenario, parse};
use nic_runtime::sim;
use nic_runtime::sle::{AppletSite, environment};

use crate::generate::counted::{LENGTH_TAG, placed};

/// Fuel of a call, which is enough for most loops to end.
const FUEL: u64 = 8_000;
/// A transfer that was queued this long ago has ended.
const QUIET: SimDuration = SimDuration::from_ns(10_000_000);

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
    /// Number of calls of each entry of the NIC's table, and of initializers in the last place.
    pub of_entry: BTreeMap<String, u64>,
    /// Number of calls in chains.
    pub in_chains: u64,
    /// Number of calls of applets that a swap or capsule brought, or may replace.
    pub kept: u64,
    /// Number of waits whose time was left out.
    pub waits: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally {
            scenarios,
            calls,
            bounded,
            tight,
            of_entry,
            in_chains,
            kept,
            waits,
        } = self;
        write!(
            f,
            "{calls} calls in {scenarios} scenarios, {bounded} with a bound, {tight} exactly at it, {in_chains} in \
             chains, {kept} with fields that others may have set, {waits} waits; {of_entry:?}"
        )
    }
}

/// A scenario with the applets that it names.
struct Case {
    toml: String,
    /// The class files by name.
    classes: BTreeMap<String, Vec<u8>>,
    /// For each class the endpoint where it runs, and its position in the chain there.
    places: BTreeMap<String, (u32, usize)>,
}

/// What is stated of the calls of a class.
struct Stated {
    environment: Environment,
    bounds: Vec<Bound>,
    in_chain: bool,
    kept: bool,
}

/// Runs the random scenario with this number, and compares each call with what is stated.
///
/// # Errors
///
/// Returns the first call that costs more than is stated, with the scenario.
pub fn compare(number: u64, tally: &mut Tally) -> Result<(), String> {
    let mut random = Random::new(&number.to_be_bytes());
    let mut sources = BTreeMap::new();
    let case = draw(&mut random, &mut sources)?;
    let fail = |what: String| {
        let sources = sources.values().cloned().collect::<String>();
        format!("scenario {number}: {what}\n{}\n{sources}", case.toml)
    };
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    for (name, bytes) in &case.classes {
        let path = directory.path().join(format!("{name}.class"));
        fs::write(path, bytes).map_err(|error| error.to_string())?;
    }
    let scenario = read(&case.toml, directory.path()).map_err(fail)?;
    let mut stated = BTreeMap::new();
    for (name, (endpoint, position)) in &case.places {
        let found = state(&scenario, *endpoint, *position, &case.classes[name]);
        stated.insert(name.clone(), found.map_err(fail)?);
    }
    let mut watcher = Watcher {
        stated,
        running: BTreeMap::new(),
        transfer: BTreeMap::new(),
        executions: Executions::default(),
        excess: None,
        tally: std::mem::take(tally),
    };
    let ended = sim::run(&scenario, &mut watcher);
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

fn state(
    scenario: &Scenario,
    endpoint: u32,
    position: usize,
    bytes: &[u8],
) -> Result<Stated, String> {
    let id = EndpointId(endpoint);
    let site = AppletSite::of(scenario, id, position).ok_or("the place is there")?;
    let nic = scenario.endpoints[endpoint as usize].nic;
    let around = environment(scenario.profile_of(nic), &site);
    let mut index = vec![0; ClassFile::index_len(bytes)];
    let class = ClassFile::parse(bytes, &mut index).map_err(|error| error.to_string())?;
    Ok(Stated {
        bounds: Bounds::of(class, &around).entry_points,
        environment: around,
        in_chain: site.has_above || site.has_below,
        kept: scenario.may_replace_applet(id),
    })
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

/// A call that has begun and not ended.
struct Running {
    class: String,
    method: String,
    began: SimTime,
    waited: SimDuration,
    depth: u64,
    instructions: u64,
    heap: u64,
    natives: BTreeMap<&'static str, u64>,
}

struct Watcher {
    stated: BTreeMap<String, Stated>,
    running: BTreeMap<EndpointId, Running>,
    /// When an applet of an endpoint last queued a transfer.
    transfer: BTreeMap<EndpointId, SimTime>,
    executions: Executions,
    excess: Option<String>,
    tally: Tally,
}

impl Watcher {
    fn begin(
        &mut self,
        names: &dyn Names,
        endpoint: EndpointId,
        event: &SleEvent<'_>,
        now: SimTime,
    ) {
        let SleEvent::AppletCall { method, args, .. } = event else {
            return;
        };
        let class = names.class(endpoint).unwrap_or("?").to_owned();
        let method = names.method(endpoint, *method).to_owned();
        let stated = self.stated.get(&class);
        let entries = stated.and_then(|stated| stated.environment.entries.as_ref());
        let entry = entries.and_then(|entries| entries.iter().find(|entry| entry.name == method));
        if let Some(entry) = entry {
            let ranges = entry.parameters.clone();
            let mut pairs = ranges.iter().zip(*args);
            let are_stated =
                ranges.len() == args.len() && pairs.all(|(range, value)| range.contains(value));
            if !are_stated {
                self.exceed(format!("{class}.{method}{args:?}, {ranges:?} stated"));
            }
        }
        self.running.insert(
            endpoint,
            Running {
                class,
                method,
                began: now,
                waited: SimDuration::ZERO,
                depth: 0,
                instructions: 0,
                heap: 0,
                natives: BTreeMap::new(),
            },
        );
    }

    fn native(&mut self, endpoint: EndpointId, event: &SleEvent<'_>, now: SimTime) {
        let Some(running) = self.running.get_mut(&endpoint) else {
            return;
        };
        match event {
            SleEvent::AppletTrace { tag, value } if *tag == LENGTH_TAG => {
                if let Ok(length) = u32::try_from(*value) {
                    running.heap += array_bytes(length);
                }
            }
            SleEvent::Native {
                name, args, begun, ..
            } => {
                *running.natives.entry(name).or_default() += 1;
                if let ("newAlignedArray", [NativeArg::Int(length)]) = (*name, args) {
                    running.heap += array_bytes(length.unsigned_abs());
                }
                let last = match args.last() {
                    Some(NativeArg::Int(value)) => u32::try_from(*value).unwrap_or(0),
                    _ => 0,
                };
                let is_quiet = self
                    .transfer
                    .get(&endpoint)
                    .is_none_or(|before| now.since(*before) > QUIET);
                let waits = match *name {
                    "doHtoLDMA" => !is_quiet,
                    "doLtoHDMA" | "txPush" | "dmaRxdPayload" | "windowWrite" => true,
                    _ => false,
                };
                if matches!(
                    *name,
                    "doHtoLDMA" | "doLtoHDMA" | "dmaRxd" | "dmaRxdPayload" | "txPush"
                ) {
                    self.transfer.insert(endpoint, now);
                }
                let stated = self.stated.get(&running.class);
                let native = stated.and_then(|stated| {
                    let mut natives = stated.environment.natives.iter();
                    natives.find(|native| native.name == *name)
                });
                if let Some(native) = native.filter(|_| waits) {
                    let own = SimDuration::from_ps((native.time_ps)(last));
                    let taken = now.since(*begun);
                    if taken > own {
                        running.waited += taken.less(own);
                        self.tally.waits += 1;
                    }
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, endpoint: EndpointId, bytecodes: u64, now: SimTime) {
        let Some(running) = self.running.remove(&endpoint) else {
            return;
        };
        let Running { class, method, .. } = &running;
        let Some(stated) = self.stated.get(class) else {
            return;
        };
        let bound = stated.bounds.iter().find(|bound| bound.method == *method);
        let Some(bound) = bound else {
            return self.exceed(format!("{class}.{method} was called, and is no entry"));
        };
        let time = now.since(running.began).less(running.waited).as_ps();
        let time = if bound.is_initializer { 0 } else { time };
        let natives = running.natives.iter().map(|(name, count)| {
            // A native that is missing in the stated bound is never called.
            let stated = bound.natives.get(*name).copied().unwrap_or(Some(0));
            (*name, *count, stated)
        });
        let observed = [
            ("bytecodes", bytecodes, bound.bytecodes),
            ("ps", time, bound.time_ns.map(|ns| ns.saturating_mul(1_000))),
            ("bytes of heap", running.heap, bound.heap_bytes),
            (
                "nested calls",
                running.depth,
                bound.call_depth.map(|depth| depth as u64),
            ),
        ];
        let exceeding = observed
            .into_iter()
            .chain(natives)
            .find(|(_, observed, stated)| stated.is_some_and(|stated| *observed > stated));
        self.tally.calls += 1;
        self.tally.bounded += u64::from(bound.bytecodes.is_some());
        self.tally.tight += u64::from(bound.bytecodes == Some(bytecodes));
        self.tally.in_chains += u64::from(stated.in_chain);
        self.tally.kept += u64::from(stated.kept);
        *self.tally.of_entry.entry(method.clone()).or_default() += 1;
        if running.instructions != bytecodes {
            let watched = running.instructions;
            self.exceed(format!(
                "{class}.{method}: {watched} instructions seen, {bytecodes} told"
            ));
        } else if let Some((what, observed, most)) = exceeding {
            self.exceed(format!(
                "{class}.{method}: {observed} {what}, {most:?} stated\n{bound:#?}"
            ));
        }
    }

    fn exceed(&mut self, excess: String) {
        self.excess.get_or_insert(excess);
    }
}

fn array_bytes(length: u32) -> u64 {
    u64::from(ARRAY_HEADER_BYTES) + u64::from(length).next_multiple_of(ARRAY_ALIGNMENT.into())
}

impl Sink for Watcher {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.executions.event(names, event);
        let Some(endpoint) = event.endpoint else {
            return;
        };
        if let EventKind::Sle(sle) = &event.kind {
            self.begin(names, endpoint, sle, event.time);
            self.native(endpoint, sle, event.time);
        }
        if let Step::CallReturned { bytecodes, .. } | Step::CallTrapped { bytecodes, .. } =
            event.kind.roles().step
        {
            self.end(endpoint, bytecodes, event.time);
        }
    }

    fn watches(&self) -> bool {
        true
    }

    fn executed(&mut self, names: &dyn Names, executed: &Executed<'_>) {
        self.executions.executed(names, executed);
        if let Some(running) = self.running.get_mut(&executed.endpoint) {
            running.depth = running.depth.max(executed.depth.into());
            running.instructions += executed.instructions.len() as u64;
        }
    }

    fn took_back(&mut self, endpoint: EndpointId) {
        self.executions.took_back(endpoint);
        if let Some(running) = self.running.get_mut(&endpoint) {
            running.instructions = running.instructions.saturating_sub(1);
        }
    }
}

/// Draws a scenario. Puts the assembly of its classes into `sources`.
fn draw(random: &mut Random, sources: &mut BTreeMap<String, String>) -> Result<Case, String> {
    let mut case = Case {
        toml: String::new(),
        classes: BTreeMap::new(),
        places: BTreeMap::new(),
    };
    let interface = random.below(4);
    let (profile, nic, keys) = match interface {
        0 => (
            "tigon2-2002",
            "processors = 2\nplacement = 'RO'\n",
            "interface = 'emp'\n",
        ),
        1 => ("lanai-1998", "", "interface = 'via'\n"),
        2 => ("lanai-1998-split", "", ""),
        _ => (["lanai-1998", "modern"][random.below(2)], "", ""),
    };
    let write = |text: &mut String, line: &str| {
        // Writing to a string never fails.
        let _ = writeln!(text, "{line}");
    };
    let text = &mut case.toml;
    write(
        text,
        &format!(
            "profile = '{profile}'\nuntil = '10s'\nmax_events = 400000\nmax_bytecodes = 20000000"
        ),
    );
    for name in ["a", "b"] {
        write(
            text,
            &format!("[[nic]]\nname = '{name}'\nsram = '4MiB'\n{nic}"),
        );
    }
    let mut add = |case: &mut Case, random: &mut Random, name: String, place: (u32, usize)| {
        let has_extras = place.1 == 0 || random.one_in(2);
        let source = placed(random, &name, has_extras);
        let assembled = assemble(&name, &source).map_err(|error| format!("{error}\n{source}"))?;
        let mut index = vec![0; ClassFile::index_len(&assembled.bytes)];
        let class = ClassFile::parse(&assembled.bytes, &mut index);
        let class = class.map_err(|error| error.to_string())?;
        let policy = Policy::Applet {
            entries: NicEntry::TABLE,
        };
        verify_class(class, policy, NicNative::TABLE, &mut ())
            .map_err(|error| format!("{error}\n{source}"))?;
        case.classes.insert(name.clone(), assembled.bytes);
        case.places.insert(name.clone(), place);
        sources.insert(name, source);
        Ok::<(), String>(())
    };
    let mut capsule = false;
    let mut swap = false;
    for (number, (nic, name)) in [("a", "c"), ("b", "s")].into_iter().enumerate() {
        let number = u32::try_from(number).map_err(|error| error.to_string())?;
        let chain = if interface == 0 {
            1
        } else {
            1 + random.below(5) / 2
        };
        let mut applets = Vec::new();
        for position in 0..chain {
            let class = format!("{}{position}", name.to_uppercase());
            add(&mut case, random, class.clone(), (number, position))?;
            applets.push(format!("'{class}.class'"));
        }
        let mut keys = keys.to_owned();
        if interface > 1 {
            keys += match random.below(4) {
                0 => "buffer_area = 1024\nfree_buffers = { count = 2, length = 100 }\n",
                1 if number == 1 => "buffer_area = 16\nfree_buffers = { count = 1, length = 8 }\n",
                _ => "",
            };
        }
        if chain == 1 && random.one_in(4) {
            keys += "state = { f = 700, fixed = 300 }\n";
        }
        if interface > 1 && chain == 1 && number == 1 {
            capsule = random.one_in(3);
            swap = random.one_in(3);
        }
        if capsule && number == 1 {
            keys += "accept_capsules = true\n";
        }
        let host = ["sink", "echo"][random.below(2)];
        let applets = match &applets[..] {
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        let line = format!(
            "[[endpoint]]\nnic = '{nic}'\nname = '{name}'\napplet = {applets}\nfuel = {FUEL}\nhost = '{host}'\n{keys}"
        );
        write(&mut case.toml, &line);
    }
    write(&mut case.toml, "[[channel]]\nc = 1\ns = 1");
    if capsule {
        write(
            &mut case.toml,
            "[[endpoint]]\nnic = 'a'\nname = 'k'\n[[channel]]\nk = 1\ns = 0",
        );
        add(&mut case, random, "N0".to_owned(), (1, 0))?;
        let line = "[[send]]\nendpoint = 'k'\nchannel = 1\nat = '50ms'\npayload = { capsule = 'N0.class', number = 1 }";
        write(&mut case.toml, line);
    }
    if swap {
        add(&mut case, random, "W0".to_owned(), (1, 0))?;
        write(
            &mut case.toml,
            "[[swap]]\nendpoint = 's'\nat = '90ms'\napplet = 'W0.class'",
        );
    }
    for message in 0..6 + random.below(8) {
        let length = [0, 1, 4, 12, 57, 100, 1_000][random.below(7)];
        let from = ["c", "c", "s"][random.below(3)];
        let length = length.min(if case.toml.contains("buffer_area = 16\n") {
            8
        } else {
            900
        });
        let at = match random.below(3) {
            0 => 17 * message,
            _ => 15 * message + random.below(2),
        };
        let line = format!(
            "[[send]]\nendpoint = '{from}'\nchannel = 1\nat = '{at}ms'\npayload = {{ count = {length} }}"
        );
        write(&mut case.toml, &line);
    }
    Ok(case)
}
