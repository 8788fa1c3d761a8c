//! A run of a scenario, with everything that a page shows of it.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use nic_core::event::roles::Shown;
use nic_core::event::{EndReason, Event, Names, Sink};
use nic_experiment::experiment::{cut, stuck};
use nic_experiment::scenario_file::refusal;
use nic_experiment::{expectations, plain, scenario_report, traps};
use nic_runtime::export::PayloadMode;
use nic_runtime::export::perfetto::PerfettoTrace;
use nic_runtime::export::plain_json;
use nic_runtime::export::stats::Stats;
use nic_runtime::export::summary::Summary;
use nic_runtime::export::text::TextTrace;
use nic_runtime::export::traps::TrapLog;
use nic_runtime::scenario::{self, InMemory};
use nic_runtime::{Outcome, Run};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::bytes::Bytes;

/// A run that goes on for longer is ended, so that what is shown fits a page.
const TRACE_BYTES_MAX: usize = 64 << 20;

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
    /// What `jive run` says beside the trace: traps, unmet expectations, a run that was cut or is stuck.
    notices: Vec<String>,
    /// Whether the run was ended because its trace became too long.
    ended_early: bool,
}

/// The outputs of a run.
struct Heard<'t> {
    trace: TextTrace<Limited<'t>>,
    timeline: PerfettoTrace<Vec<u8>>,
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
        self.trace.has_failed()
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

/// Runs a scenario.
pub(crate) fn run(
    (name, text): (&str, &str),
    files: BTreeMap<String, Bytes>,
    seed: Option<u64>,
) -> Result<Ran, String> {
    let path = Path::new(name);
    let mut all = InMemory::default();
    for (name, bytes) in files {
        all.add(name, bytes.0);
    }
    let scenario = scenario::parse_from(text.as_bytes(), Arc::new(all), seed).map_err(|error| {
        plain(&scenario_report::render(path, text.as_bytes(), &error).join("\n\n"))
    })?;
    let mut trace = Vec::new();
    let mut heard = Heard {
        trace: TextTrace::new(Limited(&mut trace), PayloadMode::Omitted),
        timeline: PerfettoTrace::new(Vec::new()),
        summary: Summary::new(&scenario),
        stats: Stats::new(&scenario),
        traps: TrapLog::default(),
    };
    let ran = Run::new(&scenario).sink(&mut heard).judge().execute();
    let Outcome { end, judgement, .. } =
        ran.map_err(|error| plain(&refusal((path, &[]), &scenario, error).1))?;
    let ended_early = end.reason == EndReason::Unheard;
    let Heard {
        timeline,
        mut summary,
        mut stats,
        traps,
        ..
    } = heard;
    stats.end(end.time);
    summary.end(end.time, end.reason);
    summary.waits(&end.waiting);
    summary.cut(&end.cut);
    if let Some(judgement) = &judgement {
        summary.judge(judgement.met, judgement.unmet.len());
    }
    let stats = Box::new(stats.report());
    let report = format!("\n{summary}{stats}");
    summary.add_stats(Some(stats));
    let mut notices = traps::of_run(&traps, (path, &scenario), &[]);
    notices.extend(stuck(&end));
    notices.extend(cut(&scenario, &end));
    notices.extend(expectations::render(path, &judgement.unwrap_or_default()));
    let timeline = timeline.finish().expect("memory can be written");
    let timeline = String::from_utf8(timeline).expect("JSON is UTF-8");
    Ok(Ran {
        ended_early,
        report,
        trace: String::from_utf8(trace).expect("a trace is UTF-8"),
        timeline: RawValue::from_string(timeline).expect("a timeline is JSON"),
        summary: plain_json::to_raw_value(&summary).expect("memory takes every field"),
        notices: notices.iter().map(|notice| plain(notice)).collect(),
    })
}
