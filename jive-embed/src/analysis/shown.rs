//! Display of a report as text.

use std::fmt::{self, Write};

use super::{EntryPoint, Report};

impl fmt::Display for Report {
    /// Displays the report as indented lines, with a paragraph for each entry point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self))
    }
}

fn text(report: &Report) -> String {
    let mut lines = Lines(String::new());
    let persistent = match report.persistent_heap_bytes {
        Some(bytes) => format!("{bytes} bytes, beside RxBuf"),
        None => "depends on what happens while it is loaded".to_owned(),
    };
    lines.row(2, "persistent heap", &persistent);
    for entry in &report.entry_points {
        lines.entry(entry);
    }
    lines.0
}

struct Lines(String);

impl Lines {
    fn row(&mut self, indent: usize, name: &str, value: &str) {
        // Writing to a string never fails.
        let _ = writeln!(self.0, "{:indent$}{name:<17}{value}", "");
    }

    fn entry(&mut self, entry: &EntryPoint) {
        let _ = writeln!(self.0, "  {}{}", entry.method, entry.descriptor);
        let calls = match (&entry.call_chain, &entry.recursion) {
            (_, Some(circle)) => {
                let first = circle.first().map_or("", String::as_str);
                format!("not bounded: {} -> {first}", circle.join(" -> "))
            }
            (Some(chain), None) => format!("{} deep: {}", chain.len(), chain.join(" -> ")),
            (None, None) => "not bounded".to_owned(),
        };
        self.row(4, "calls", &calls);
        let frames = match entry.frame_bytes_max {
            Some(bytes) => format!("{bytes} bytes of local variables and operand stacks"),
            None => "not bounded".to_owned(),
        };
        self.row(4, "frames", &frames);
        let heap = match (entry.heap_bytes_max, entry.heap_is_constant) {
            (Some(bytes), true) => format!("{bytes} bytes"),
            (Some(bytes), false) => format!("at most {bytes} bytes"),
            (None, _) => "depends on what happens".to_owned(),
        };
        self.row(4, "heap", &heap);
        let natives = entry.natives.iter().map(String::as_str).collect::<Vec<_>>();
        let natives = if natives.is_empty() {
            "none".to_owned()
        } else {
            natives.join(", ")
        };
        self.row(4, "natives", &natives);
        self.row(4, "loops", &loops(entry));
        let bytecodes = match entry.bytecodes_max {
            Some(bytecodes) => format!("{bytecodes} bytecodes"),
            None => "given by its fuel".to_owned(),
        };
        self.row(4, "worst case", &bytecodes);
    }
}

fn loops(entry: &EntryPoint) -> String {
    if entry.loops == 0 {
        return "none".to_owned();
    }
    // Without the note about the limit, a report of an incomplete analysis would look complete.
    let limit = if entry.loops_incomplete {
        "; more inside of these not worked out (limit)"
    } else {
        ""
    };
    if entry.uncounted_loops.is_empty() {
        return format!("{}, all counted{limit}", entry.loops);
    }
    let places = entry.uncounted_loops.iter().map(|place| {
        let line = place
            .line
            .map_or_else(String::new, |line| format!(" (line {line})"));
        format!("{} pc {}{line}", place.method, place.pc)
    });
    let more = match entry.uncounted_loops_omitted {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!(
        "{}, not counted: {}{more}{limit}",
        entry.loops,
        places.collect::<Vec<_>>().join(", ")
    )
}
