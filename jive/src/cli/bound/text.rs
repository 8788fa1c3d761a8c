//! The text of `jive bound`.

use std::fmt;

use jive_embed::analysis::{Bound, LoopPlace, Reason, UnboundedLoop};
use jive_embed::text::printable;
use nic_core::time::SimDuration;

use super::report::Report;

/// Shows a report as indented lines, with a paragraph for each entry point.
pub(super) struct Text<'t, 'r>(pub(super) &'t Report<'r>);

impl fmt::Display for Text<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report {
            class,
            profile,
            place,
            assumes,
            entry_points,
            ..
        } = self.0;
        writeln!(f, "{class}, times of {}", printable(profile))?;
        if let Some(place) = place {
            let (scenario, endpoint) = (printable(&place.scenario), printable(&place.endpoint));
            match place.applets {
                1 => writeln!(f, "at endpoint {endpoint} of {scenario}")?,
                applets => writeln!(
                    f,
                    "as applet {} of {applets} at endpoint {endpoint} of {scenario}",
                    place.applet
                )?,
            }
        }
        match assumes {
            Some(assumed) => {
                writeln!(
                    f,
                    "for packets of at most {} bytes, a buffer area of {} bytes, free buffers of {} bytes and a heap of \
                     {} bytes",
                    assumed.packet_bytes,
                    assumed.buffer_area_bytes,
                    assumed.free_buffer_bytes,
                    assumed.heap_bytes
                )?;
                if place.is_none() {
                    writeln!(f, "where the applet is its endpoint's only one")?;
                }
                if assumed.any_kept_values {
                    writeln!(
                        f,
                        "where a replaced applet may have left any values in the fields"
                    )?;
                }
                if assumed.only_own_stores {
                    writeln!(f, "where nothing but the class stores to its fields")?;
                }
            }
            None => writeln!(f, "for any arguments")?,
        }
        for bound in *entry_points {
            entry(f, bound)?;
        }
        Ok(())
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    writeln!(f, "    {name:<15}{value}")
}

fn entry(f: &mut fmt::Formatter<'_>, bound: &Bound) -> fmt::Result {
    let count = |count: Option<u64>, unit: &str| match count {
        Some(1) => format!("1{unit}"),
        Some(count) if unit.is_empty() => count.to_string(),
        Some(count) => format!("{count}{unit}s"),
        None => "no bound".to_owned(),
    };
    writeln!(f, "  {}{}", bound.method, bound.descriptor)?;
    row(f, "bytecodes", &count(bound.bytecodes, ""))?;
    let time = bound.time_ns.map(|ns| SimDuration::from_ns(ns).to_string());
    row(f, "time", time.as_deref().unwrap_or("no bound"))?;
    row(f, "operand stack", &count(bound.operand_stack, " value"))?;
    let depth = bound.call_depth.map(|depth| depth as u64);
    row(f, "call depth", &count(depth, ""))?;
    row(f, "heap", &count(bound.heap_bytes, " byte"))?;
    let natives = bound.natives.iter();
    let natives = natives.map(|(name, most)| format!("{name} {}", count(*most, "")));
    let natives = natives.collect::<Vec<_>>().join(", ");
    let natives = if natives.is_empty() { "none" } else { &natives };
    row(f, "natives", natives)?;
    for found in &bound.loops {
        let times = count(Some(found.tests), " test");
        row(f, "loop", &format!("{}: {times}", place(&found.place)))?;
    }
    if bound.loops_omitted > 0 {
        row(
            f,
            "loops",
            &format!("{} more with a bound", bound.loops_omitted),
        )?;
    }
    for found in &bound.unbounded_loops {
        row(f, "no bound", &unbounded(found))?;
    }
    if bound.unbounded_loops_omitted > 0 {
        let more = bound.unbounded_loops_omitted;
        row(f, "no bound", &format!("{more} more loops"))?;
    }
    if let Some(cycle) = &bound.recursion {
        row(f, "no bound", &recursion(cycle))?;
    }
    if bound.is_too_large {
        row(f, "no bound", TOO_LARGE)?;
    }
    Ok(())
}

const TOO_LARGE: &str = "the number does not fit in 64 bits";

/// Returns why the bytecodes of a method have no bound.
pub(super) fn reason(bound: &Bound) -> String {
    match (&bound.recursion, bound.unbounded_loops.first()) {
        (Some(cycle), _) => recursion(cycle),
        (None, Some(found)) => unbounded(found),
        (None, None) => TOO_LARGE.to_owned(),
    }
}

fn recursion(cycle: &[String]) -> String {
    let first = cycle.first().map_or("", String::as_str);
    format!("recursion: {} -> {first}", cycle.join(" -> "))
}

fn place(place: &LoopPlace) -> String {
    match place.line {
        Some(line) => format!("{} line {line}", place.method),
        None => format!("{} pc {}", place.method, place.pc),
    }
}

fn unbounded(found: &UnboundedLoop) -> String {
    let reason = match (found.reason, &found.field) {
        (Reason::NoCounter, _) => {
            "no local variable steps towards an end in every round".to_owned()
        }
        (Reason::UnknownStart, _) => "its counter may start at any value".to_owned(),
        (Reason::UnknownEnd, Some(field)) => {
            format!("it counts to `{field}`, which may have any value")
        }
        (Reason::UnknownEnd, None) => "it counts to a value that may be any".to_owned(),
        (Reason::MayPass, _) => "its counter may step past the end and wrap around".to_owned(),
        (Reason::NotAnalysed, _) => {
            "not analysed, because loops are too many or nested too deep".to_owned()
        }
    };
    format!("loop at {}: {reason}", place(&found.place))
}
