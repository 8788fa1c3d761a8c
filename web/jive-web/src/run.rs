//! A run of a scenario, with everything that a page shows of it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use bumpalo::Bump;
use jive_core::ClassFile;
use nic_core::event::roles::Shown;
use nic_core::event::{EndReason, Event, Names, Sink};
use nic_core::id::PacketId;
use nic_experiment::experiment::{cut, gave_up, stuck};
use nic_experiment::scenario_file::refusal;
use nic_experiment::{expectations, plain, scenario_report, traps};
use nic_runtime::export::PayloadMode;
use nic_runtime::export::follow::Story;
use nic_runtime::export::json::JsonTrace;
use nic_runtime::export::moments::{self, Moment, Wanted};
use nic_runtime::export::pcapng::{Capture, Watched};
use nic_runtime::export::perfetto::PerfettoTrace;
use nic_runtime::export::plain_json;
use nic_runtime::export::stats::Stats;
use nic_runtime::export::summary::Summary;
use nic_runtime::export::text::TextTrace;
use nic_runtime::export::traps::TrapLog;
use nic_runtime::scenario::{self, InMemory};
use nic_runtime::spec::Scenario;
use nic_runtime::{Outcome, Run};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::bytes::Bytes;
use crate::judge::{Sources, in_memory};

/// A run that goes on for longer is ended, so that what is shown fits a page.
const TRACE_BYTES_MAX: usize = 64 << 20;

/// The same for its timeline, of which a page makes objects. So many bytes are about 170,000 spans.
const TIMELINE_BYTES_MAX: usize = 48 << 20;

/// What a run gives.
#[derive(Serialize)]
pub(crate) struct Ran {
    /// The trace as `jive run` prints it.
    trace: String,
    /// What `jive run --stats` prints below the trace: summary and statistics.
    report: String,
    /// The timeline as `jive run --perfetto` writes it.
    timeline: Box<RawValue>,
    /// The summary with statistics, as `docs/summary.schema.json` describes it.
    summary: Box<RawValue>,
    /// What `jive run` says beside the trace: traps, unmet expectations, programs that gave up, a run that was cut or is
    /// stuck.
    notices: Vec<String>,
    /// Whether the run was ended because its trace or its timeline became too long.
    ended_early: bool,
}

/// The outputs of a run.
struct Heard<'t> {
    trace: TextTrace<Limited<'t>>,
    timeline: PerfettoTrace<Counted<'t>>,
    timeline_length: &'t Cell<usize>,
    summary: Summary,
    stats: Stats,
    traps: TrapLog,
}

impl Sink for Heard<'_> {
    fn wants(&self, shown: Shown) -> bool {
        let Heard {
            trace,
            timeline,
            summary,
            stats,
            traps,
            timeline_length: _,
        } = self;
        let outputs: [&dyn Sink; 5] = [trace, timeline, summary, stats, traps];
        outputs.iter().any(|output| output.wants(shown))
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.trace.event(names, event);
        self.timeline.event(names, event);
        self.summary.event(names, event);
        self.stats.event(names, event);
        self.traps.event(names, event);
    }

    fn left_out(&mut self, events: u64) {
        self.summary.left_out(events);
    }

    fn has_failed(&self) -> bool {
        self.trace.has_failed() || self.timeline_length.get() > TIMELINE_BYTES_MAX
    }
}

/// Text whose length is known while it grows.
struct Counted<'c> {
    text: Vec<u8>,
    length: &'c Cell<usize>,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        self.length.set(self.text.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Text of limited length.
struct Limited<'t>(&'t mut Vec<u8>);

impl Write for Limited<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > TRACE_BYTES_MAX {
            return Err(ErrorKind::StorageFull.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Name of the scenario, for messages.
    name: String,
    /// The scenario.
    scenario: String,
    /// The files that the scenario names.
    #[serde(default)]
    files: BTreeMap<String, Bytes>,
    /// Java sources of the classes, by their names.
    #[serde(default)]
    sources: Sources,
    /// The seed, in place of the scenario's.
    #[serde(default)]
    seed: Option<u64>,
}

impl Asked {
    fn path(&self) -> &Path {
        Path::new(&self.name)
    }

    /// Reads the scenario. The error is the text that the command shows.
    fn read(&self) -> Result<Scenario, String> {
        let mut files = InMemory::default();
        for (name, bytes) in &self.files {
            files.add(name.clone(), bytes.0.clone());
        }
        let text = self.scenario.as_bytes();
        scenario::parse_from(text, Arc::new(files), self.seed).map_err(|error| {
            plain(&scenario_report::render(self.path(), text, &error).join("\n\n"))
        })
    }

    /// Runs the scenario with a sink.
    fn execute(&self, scenario: &Scenario, sink: &mut dyn Sink) -> Result<Outcome, String> {
        let ran = Run::new(scenario).sink(sink).judge().execute();
        ran.map_err(|error| {
            plain(&refusal((self.path(), in_memory(&self.sources)), scenario, error).1)
        })
    }
}

/// The form of a file that a run gives.
#[derive(Copy, Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The packets, as `jive run --pcap` writes them.
    Pcapng,
    /// The trace, as `jive run --format json` prints it.
    Json,
}

/// Runs a scenario again, and returns a file of it.
pub(crate) fn file(asked: &Asked, form: Form) -> Result<Bytes, String> {
    let scenario = asked.read()?;
    let mut bytes = Vec::new();
    let full = "the file is too long for a page";
    match form {
        Form::Pcapng => {
            let nics = scenario.nics.len();
            let to = Limited(&mut bytes);
            let capture = Capture::of_scenario(to, &scenario, nics, Watched::default());
            let mut capture = capture.map_err(|_| full)?;
            asked.execute(&scenario, &mut capture)?;
            capture.finish().map_err(|_| full)?;
        }
        Form::Json => {
            let trace = JsonTrace::new(Limited(&mut bytes), PayloadMode::Omitted, &scenario);
            let mut heard = (trace, Summary::new(&scenario));
            let outcome = asked.execute(&scenario, &mut WithSummary(&mut heard))?;
            let (trace, mut summary) = heard;
            close(&mut summary, &outcome);
            trace.finish(&summary).map_err(|_| full)?;
        }
    }
    Ok(Bytes(bytes))
}

/// Runs a scenario again, and returns the story of a packet with its bytes, as `jive run --follow --payload` prints it.
pub(crate) fn follow(asked: &Asked, packet: u64) -> Result<String, String> {
    let scenario = asked.read()?;
    let mut text = Vec::new();
    let mut story = Story::new(Limited(&mut text), PacketId(packet), PayloadMode::Shown);
    asked.execute(&scenario, &mut story)?;
    if !story.is_told() {
        return Err(format!("packet {packet} does not occur in this run"));
    }
    Ok(String::from_utf8(text).expect("a story is UTF-8"))
}

/// Runs a scenario again up to a moment, and returns the moment. There is none before the first and behind the last.
pub(crate) fn step(asked: &Asked, wanted: &Wanted) -> Result<Option<Moment>, String> {
    let scenario = asked.read()?;
    let arena = Bump::new();
    let classes = scenario.classes.iter().map(|class| {
        let index = arena.alloc_slice_fill_copy(ClassFile::index_len(&class.bytes), 0);
        ClassFile::parse(&class.bytes, index).ok()
    });
    let classes: Vec<_> = classes.collect();
    moments::find(&classes, wanted, |sink| {
        asked.execute(&scenario, sink).map(drop)
    })
}

/// A trace and the summary behind it.
struct WithSummary<'h, 't>(&'h mut (JsonTrace<Limited<'t>>, Summary));

impl Sink for WithSummary<'_, '_> {
    fn wants(&self, shown: Shown) -> bool {
        self.0.0.wants(shown) || self.0.1.wants(shown)
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.0.0.event(names, event);
        self.0.1.event(names, event);
    }

    fn left_out(&mut self, events: u64) {
        self.0.1.left_out(events);
    }

    fn has_failed(&self) -> bool {
        self.0.0.has_failed()
    }
}

/// Tells a summary how the run ended.
fn close(summary: &mut Summary, outcome: &Outcome) {
    let Outcome { end, judgement, .. } = outcome;
    summary.end(end.time, end.reason);
    summary.waits(&end.waiting);
    summary.programs_left(&end.gave_up, &end.unfinished);
    summary.cut(&end.cut);
    if let Some(judgement) = judgement {
        summary.judge(judgement.met, judgement.unmet.len());
    }
}

/// Runs a scenario.
pub(crate) fn run(asked: &Asked) -> Result<Ran, String> {
    let path = asked.path();
    let scenario = asked.read()?;
    let mut trace = Vec::new();
    let timeline_length = Cell::new(0);
    let timeline = Counted {
        text: Vec::new(),
        length: &timeline_length,
    };
    let mut heard = Heard {
        trace: TextTrace::new(Limited(&mut trace), PayloadMode::Omitted),
        timeline: PerfettoTrace::new(timeline),
        timeline_length: &timeline_length,
        summary: Summary::new(&scenario),
        stats: Stats::new(&scenario),
        traps: TrapLog::default(),
    };
    let outcome = asked.execute(&scenario, &mut heard)?;
    let end = &outcome.end;
    let ended_early = end.reason == EndReason::Unheard;
    let Heard {
        timeline,
        mut summary,
        mut stats,
        traps,
        ..
    } = heard;
    stats.end(end.time);
    close(&mut summary, &outcome);
    let stats = Box::new(stats.report());
    let report = format!("\n{summary}{stats}");
    summary.add_stats(Some(stats));
    let mut notices = traps::of_run(&traps, (path, &scenario), in_memory(&asked.sources));
    notices.extend(stuck(end));
    notices.extend(gave_up(end));
    notices.extend(cut(&scenario, end));
    let judgement = outcome.judgement.unwrap_or_default();
    notices.extend(expectations::render(path, &judgement));
    let timeline = timeline.finish().expect("memory can be written");
    let timeline = String::from_utf8(timeline.text).expect("JSON is UTF-8");
    Ok(Ran {
        ended_early,
        report,
        trace: String::from_utf8(trace).expect("a trace is UTF-8"),
        timeline: RawValue::from_string(timeline).expect("a timeline is JSON"),
        summary: plain_json::to_raw_value(&summary).expect("memory takes every field"),
        notices: notices.iter().map(|notice| plain(notice)).collect(),
    })
}
