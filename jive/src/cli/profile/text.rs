//! The texts of `jive profile`: tables of methods and lines, the annotated source, and folded stacks.

use std::collections::BTreeMap;
use std::fmt;

use jive_embed::text::printable;
use nic_core::time::SimDuration;

use super::report::{Class, Line, Method, Report, Source};

/// Maximum number of lines in the table of lines, chosen so that the table fits on a screen.
const LINES_MAX: usize = 12;

/// What the numbers of folded stacks are.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Weight {
    /// Executed instructions
    Bytecodes,
    /// Virtual time in nanoseconds
    Time,
}

/// Shows a report as tables.
pub(super) struct Text<'r>(pub(super) &'r Report);

/// Shows the source of each class with the counts of each line.
pub(super) struct Annotated<'r>(pub(super) &'r Report);

/// Shows a line for each chain of nested calls, as flame-graph tools read it.
pub(super) struct Folded<'r>(pub(super) &'r Report, pub(super) Weight);

/// Shows a number as a share of another, in percent.
struct Share(u64, u64);

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Share(part, whole) = *self;
        let tenths = u128::from(part) * 1000 / u128::from(whole.max(1));
        f.pad(&format!("{}.{} %", tenths / 10, tenths % 10))
    }
}

/// Shows a time as microseconds with three digits after the decimal point.
pub(super) fn microseconds(ns: u64) -> String {
    SimDuration::from_ns(ns).to_string()
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_first = true;
        for class in &self.0.classes {
            if !is_first {
                writeln!(f)?;
            }
            is_first = false;
            head(f, class)?;
            methods(f, class)?;
            lines(f, class)?;
        }
        if is_first {
            writeln!(f, "no applet was executed")?;
        }
        Ok(())
    }
}

fn head(f: &mut fmt::Formatter<'_>, class: &Class) -> fmt::Result {
    let endpoints = class.endpoints.iter();
    let endpoints = endpoints.map(|name| printable(name).to_string());
    let endpoints = endpoints.collect::<Vec<_>>().join(", ");
    writeln!(f, "{} at {endpoints}", class.class)?;
    write!(
        f,
        "  {} bytecodes, {}",
        class.bytecodes,
        microseconds(class.time_ns)
    )?;
    if class.lines > 0 {
        write!(
            f,
            "; {} of {} lines executed",
            class.lines_executed, class.lines
        )?;
    }
    writeln!(f)?;
    if class.lines == 0 && !class.file.is_empty() {
        writeln!(f, "  the class has no line numbers: compile with -g")?;
    }
    if let Some(Source(source)) = class
        .source
        .as_ref()
        .filter(|Source(source)| source.is_newer())
    {
        writeln!(
            f,
            "  {} is newer than the class, so lines may not fit",
            source.path()
        )?;
    }
    Ok(())
}

fn methods(f: &mut fmt::Formatter<'_>, class: &Class) -> fmt::Result {
    let mut sorted = Vec::from_iter(&class.methods);
    sorted.sort_by_key(|method| std::cmp::Reverse((method.time_ns, method.bytecodes)));
    let width = sorted.iter().map(|method| method.method.len()).max();
    let width = width.unwrap_or(0).max("method".len());
    writeln!(
        f,
        "\n  {:<width$}  {:>10}  {:>12}  {:>8}  {:>15}  {:>8}  {:>15}",
        "method", "calls", "bytecodes", "share", "own time", "share", "with callees"
    )?;
    for method in sorted.iter().filter(|method| method.calls > 0) {
        writeln!(
            f,
            "  {:<width$}  {:>10}  {:>12}  {:>8}  {:>15}  {:>8}  {:>15}",
            method.method,
            method.calls,
            method.bytecodes,
            Share(method.bytecodes, class.bytecodes),
            microseconds(method.time_ns),
            Share(method.time_ns, class.time_ns),
            microseconds(method.time_total_ns),
        )?;
        parts(f, method)?;
    }
    let never = sorted.iter().filter(|method| method.calls == 0);
    let never = never.map(|method| method.method.as_str());
    let never = never.collect::<Vec<_>>().join(", ");
    if !never.is_empty() {
        writeln!(f, "  never called: {never}")?;
    }
    Ok(())
}

/// Shows the parts of a method's time other than the time of its instructions.
fn parts(f: &mut fmt::Formatter<'_>, method: &Method) -> fmt::Result {
    if method.entry_ns > 0 {
        writeln!(
            f,
            "    entering and leaving: {}",
            microseconds(method.entry_ns)
        )?;
    }
    for (name, native) in &method.natives {
        let time = microseconds(native.time_ns);
        writeln!(f, "    {name}: {} calls, {time}", native.calls)?;
    }
    Ok(())
}

fn lines(f: &mut fmt::Formatter<'_>, class: &Class) -> fmt::Result {
    let lines = class.methods.iter().flat_map(|method| &method.lines);
    let executed = lines.filter(|line| line.line.is_some() && line.bytecodes > 0);
    let mut sorted = Vec::from_iter(executed);
    sorted.sort_by_key(|line| std::cmp::Reverse((line.time_ns, line.bytecodes)));
    if sorted.is_empty() {
        return Ok(());
    }
    writeln!(
        f,
        "\n  {:>5}  {:>12}  {:>8}  {:>15}  {:>8}",
        "line", "bytecodes", "share", "time", "share"
    )?;
    for line in sorted.iter().take(LINES_MAX) {
        writeln!(
            f,
            "  {:>5}  {:>12}  {:>8}  {:>15}  {:>8}{}",
            line.line.unwrap_or_default(),
            line.bytecodes,
            Share(line.bytecodes, class.bytecodes),
            microseconds(line.time_ns),
            Share(line.time_ns, class.time_ns),
            source(line),
        )?;
    }
    if sorted.len() > LINES_MAX {
        writeln!(f, "  and {} more lines", sorted.len() - LINES_MAX)?;
    }
    Ok(())
}

fn source(line: &Line) -> String {
    let text = line.source.as_deref().map(printable);
    text.map_or_else(String::new, |text| format!("  {text}"))
}

impl fmt::Display for Annotated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for class in &self.0.classes {
            head(f, class)?;
            let Some(Source(source)) = &class.source else {
                writeln!(
                    f,
                    "  no source was found: name its directory with --source-path\n"
                )?;
                continue;
            };
            let mut sums = BTreeMap::<u16, (u64, u64, bool)>::new();
            for line in class.methods.iter().flat_map(|method| &method.lines) {
                let Some(number) = line.line else { continue };
                let (bytecodes, time, is_partial) = sums.entry(number).or_default();
                *bytecodes += line.bytecodes;
                *time += line.time_ns;
                *is_partial |= line.instructions_executed < line.instructions;
            }
            writeln!(
                f,
                "\n  {:>12}   {:>15}  {}",
                "bytecodes",
                "time",
                source.path()
            )?;
            for number in 1..=source.line_count() {
                let text = printable(source.line(number).unwrap_or_default());
                match sums.get(&number) {
                    None => write!(f, "  {:>12}   {:>15}  ", "", "")?,
                    Some((0, ..)) => write!(f, "  {:>12}   {:>15}  ", "never", "")?,
                    Some((bytecodes, time, is_partial)) => {
                        let mark = if *is_partial { '*' } else { ' ' };
                        write!(f, "  {bytecodes:>12} {mark} {:>15}  ", microseconds(*time))?;
                    }
                }
                writeln!(f, "{number:>4}  {text}")?;
            }
            writeln!(f, "\n  * some instructions of the line were not executed\n")?;
        }
        Ok(())
    }
}

impl fmt::Display for Folded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Folded(report, weight) = self;
        for class in &report.classes {
            for chain in &class.chains {
                let count = match weight {
                    Weight::Bytecodes => chain.bytecodes,
                    Weight::Time => chain.time_ns,
                };
                if count > 0 {
                    writeln!(f, "{};{} {count}", class.class, chain.methods.join(";"))?;
                }
            }
        }
        Ok(())
    }
}
