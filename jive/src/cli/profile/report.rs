//! The report of `jive profile`: the bytecodes and the time of each method and each line of a class.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jive_core::{ClassFile, MethodId, Pc, raw_instructions};
use jive_embed::analysis::LineTable;
use jive_embed::text::{path_text, printable};
use jive_embed::{FoundAt, JavaSource, SourcePath, names};
use nic_core::time::SimDuration;
use nic_runtime::export::executions::{ClassSpent, Executions, MethodSpent};
use nic_runtime::spec::Scenario;
use serde::{Deserialize, Serialize};

use crate::cli::scenario_file::class_file;

/// A profile of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Report {
    /// The scenario, or the applet of a capture.
    pub(super) run: String,
    /// Why the run ended, as in its summary.
    pub(super) ended: String,
    pub(super) time_ns: u64,
    pub(super) classes: Vec<Class>,
}

/// The bytecodes and the time of the applets of a class.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Class {
    pub(super) class: String,
    pub(super) file: String,
    pub(super) endpoints: Vec<String>,
    pub(super) bytecodes: u64,
    pub(super) time_ns: u64,
    /// The number of lines with instructions, and the number of these lines of which an instruction was executed.
    pub(super) lines: u64,
    pub(super) lines_executed: u64,
    pub(super) methods: Vec<Method>,
    pub(super) chains: Vec<Chain>,
    #[serde(skip)]
    pub(super) source: Option<Source>,
}

/// The source of a class, which the text of a profile shows.
#[derive(Clone, Debug)]
pub(super) struct Source(pub(super) JavaSource);

/// The bytecodes and the time of a method, without its callees.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Method {
    pub(super) method: String,
    pub(super) descriptor: String,
    pub(super) calls: u64,
    pub(super) bytecodes: u64,
    pub(super) time_ns: u64,
    /// The part of the time for entering and leaving the method, if the runtime calls it.
    pub(super) entry_ns: u64,
    /// The bytecodes and the time of the method with all its callees.
    pub(super) bytecodes_total: u64,
    pub(super) time_total_ns: u64,
    pub(super) natives: BTreeMap<String, Native>,
    pub(super) lines: Vec<Line>,
}

/// The calls of a native.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Native {
    pub(super) calls: u64,
    pub(super) time_ns: u64,
}

/// The bytecodes and the time of a line of a method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Line {
    /// The line's number; absent for instructions without a line number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u16>,
    /// The number of instructions of the line, and the number of them that were executed.
    pub(super) instructions: u64,
    pub(super) instructions_executed: u64,
    pub(super) bytecodes: u64,
    /// The time of the line, with the natives that it calls.
    pub(super) time_ns: u64,
    /// The text of the line, if the source was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<String>,
}

/// A chain of nested calls, outermost first, and the bytecodes and the time of the innermost method alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Chain {
    pub(super) methods: Vec<String>,
    pub(super) bytecodes: u64,
    pub(super) time_ns: u64,
}

/// The sums of a line's instructions, bytecodes and time; the time is in picoseconds until the sum is complete.
#[derive(Default)]
struct LineSum {
    instructions: u64,
    executed: u64,
    bytecodes: u64,
    time: SimDuration,
}

/// Makes the classes of a report. `name` is the scenario's file.
pub(super) fn classes(
    counted: &Executions,
    (name, scenario): (&Path, &Scenario),
    source_path: SourcePath<'_>,
) -> Vec<Class> {
    let counted_classes = counted.classes().iter();
    let report = counted_classes.map(|(place, spent)| {
        // A class that came in a capsule has no file.
        let Some(_) = scenario.classes.get(*place) else {
            return of_class(counted, (*place, spent), None, None);
        };
        let (file, bytes) = class_file(name, scenario, *place);
        let mut index = vec![0; ClassFile::index_len(bytes)];
        let class = ClassFile::parse(bytes, &mut index).ok();
        let found = FoundAt {
            file: &file,
            source_path,
        };
        let source = class.and_then(|class| found.source_of(&class));
        let class = class.map(|class| (class, path_text(&file).into_owned()));
        of_class(counted, (*place, spent), class, source)
    });
    report.collect()
}

fn of_class(
    counted: &Executions,
    (place, spent): (usize, &ClassSpent),
    class: Option<(ClassFile<'_>, String)>,
    source: Option<JavaSource>,
) -> Class {
    let name_of = |id: &MethodId| spent.methods.get(id).map_or("?", |method| &method.name);
    let chains = Vec::from_iter(counted.chains(place));
    let mut totals = BTreeMap::<MethodId, (u64, SimDuration)>::new();
    for (methods, own) in &chains {
        for method in BTreeSet::from_iter(methods) {
            let (bytecodes, time) = totals.entry(*method).or_default();
            *bytecodes += own.count;
            *time += own.time;
        }
    }
    let total = |id: MethodId| totals.get(&id).copied().unwrap_or_default();
    let methods: Vec<Method> = match &class {
        Some((class, _)) => class
            .methods()
            .filter(|method| method.code().is_some())
            .map(|method| {
                let none = MethodSpent::default();
                let own = spent.methods.get(&method.id).unwrap_or(&none);
                let lines = lines(own, method.code(), source.as_ref());
                let name = names::method_name(class, method.id);
                let descriptor = printable(&method.descriptor.to_string()).to_string();
                of_method((name, descriptor), own, total(method.id), lines)
            })
            .collect(),
        None => (spent.methods.iter())
            .map(|(id, own)| {
                let name = (own.name.clone(), String::new());
                of_method(name, own, total(*id), lines(own, None, None))
            })
            .collect(),
    };
    let numbers = |is_counted: fn(&Line) -> bool| {
        let all = methods.iter().flat_map(|method| &method.lines);
        let lines = all.filter(|line| is_counted(line));
        let lines = lines.filter_map(|line| line.line);
        BTreeSet::from_iter(lines).len() as u64
    };
    Class {
        class: spent.name.replace('/', "."),
        file: class.map_or_else(String::new, |(_, file)| file),
        endpoints: spent.endpoints.clone(),
        bytecodes: chains.iter().map(|(_, own)| own.count).sum(),
        time_ns: sum(chains.iter().map(|(_, own)| own.time)).as_ns(),
        lines: numbers(|_| true),
        lines_executed: numbers(|line| line.instructions_executed > 0),
        chains: chains
            .iter()
            .filter(|(_, own)| own.count > 0 || own.time > SimDuration::ZERO)
            .map(|(methods, own)| Chain {
                methods: methods.iter().map(|id| name_of(id).to_owned()).collect(),
                bytecodes: own.count,
                time_ns: own.time.as_ns(),
            })
            .collect(),
        methods,
        source: source.map(Source),
    }
}

fn of_method(
    (method, descriptor): (String, String),
    own: &MethodSpent,
    (bytecodes_total, time_total): (u64, SimDuration),
    lines: Vec<Line>,
) -> Method {
    let places = own.places.iter();
    let time = sum(places.clone().map(|place| place.time));
    let natives = sum(own.natives.values().map(|native| native.time));
    let counts = own.natives.iter().map(|(name, native)| {
        let row = Native {
            calls: native.count,
            time_ns: native.time.as_ns(),
        };
        ((*name).to_owned(), row)
    });
    Method {
        method,
        descriptor,
        calls: own.calls,
        bytecodes: places.map(|place| place.executions).sum(),
        time_ns: sum([time, natives, own.entry]).as_ns(),
        entry_ns: own.entry.as_ns(),
        bytecodes_total,
        time_total_ns: time_total.as_ns(),
        natives: counts.collect(),
        lines,
    }
}

/// Adds up the instructions of each line.
fn lines(
    own: &MethodSpent,
    code: Option<jive_core::Code<'_>>,
    source: Option<&JavaSource>,
) -> Vec<Line> {
    let table = code.as_ref().map(LineTable::of).unwrap_or_default();
    let mut sums = BTreeMap::<Option<u16>, LineSum>::new();
    let pcs: Vec<Pc> = match &code {
        Some(code) => raw_instructions(code.bytes).map(|insn| insn.pc).collect(),
        None => {
            let counted = own.places.iter().zip(0..=u16::MAX);
            let executed = counted.filter(|(place, _)| place.executions > 0);
            executed.map(|(_, pc)| Pc(pc)).collect()
        }
    };
    for pc in pcs {
        let line = sums.entry(table.line(pc)).or_default();
        line.instructions += 1;
        let Some(place) = own.places.get(pc.index()) else {
            continue;
        };
        line.executed += u64::from(place.executions > 0);
        line.bytecodes += place.executions;
        line.time += place.time;
        line.time += place.natives.time;
    }
    let shown = sums.into_iter().map(|(line, sum)| Line {
        line,
        instructions: sum.instructions,
        instructions_executed: sum.executed,
        bytecodes: sum.bytecodes,
        time_ns: sum.time.as_ns(),
        source: line
            .zip(source)
            .and_then(|(line, source)| source.line(line))
            .map(|text| text.trim().to_owned()),
    });
    shown.collect()
}

fn sum(times: impl IntoIterator<Item = SimDuration>) -> SimDuration {
    times
        .into_iter()
        .fold(SimDuration::ZERO, |sum, time| sum + time)
}
