//! The diagnosis of a trap, which is shown like a rejection.

use jive_core::{CallSite, ClassFile, Cut, Pc, TrapKind};

use super::listing::{Listing, instruction};
use super::{FoundAt, Rejection};
use crate::names;

/// Maximum number of nested calls that a diagnosis shows. Sixteen calls are chosen, because fewer already show a
/// recursion without end.
const SHOWN_CALLS_MAX: usize = 16;

/// A trap that ended a call of a class, with the facts that a diagnosis shows.
#[derive(Clone, Debug)]
pub struct TrapDiagnosis {
    /// The kind.
    pub kind: TrapKind,
    /// The values that caused the trap, as in `index 16, length 16`.
    pub why: Option<String>,
    /// The nested calls at the trap, from the innermost, in which the trap occurred, to the outermost.
    pub calls: Vec<CallSite>,
    /// Number of nested calls at the trap that are not among `calls`.
    pub calls_omitted: usize,
    /// Facts that the caller adds to the diagnosis as notes.
    pub notes: Vec<String>,
}

impl TrapDiagnosis {
    /// Renders the diagnosis of the trap: kind, values, location, the line of the source, and the nested calls.
    ///
    /// The help says what to change, as for a rejection. If the source is not found, the diagnosis shows the instructions around the trap.
    #[must_use]
    pub fn render(&self, found: FoundAt<'_>, class: &ClassFile<'_>) -> String {
        let message = match &self.why {
            Some(why) => why.clone(),
            None => "the call was aborted".to_owned(),
        };
        let mut shown = Rejection::new(found.file, self.kind.name(), message);
        let explained = format!("`jive explain {}` has an example", self.kind.name());
        shown.help = Some(match shown.help {
            Some(fix) => format!("{fix} {explained}."),
            None => explained,
        });
        shown.is_at_line = true;
        shown.of_class(class, found);
        if let Some(CallSite { method: id, pc }) = self.calls.first().copied() {
            shown.pc = Some(pc.0);
            if let Some(method) = class.method(id) {
                shown.name(&method);
                if let Some(code) = method.code() {
                    shown.line = code.line(pc);
                    shown.instruction = Some(instruction(class, &code, pc));
                    shown.quote_line();
                    if shown.source_line.is_none() {
                        shown.listing = Listing::of_code(class, &code, pc, "", &[]);
                    }
                }
            }
        }
        if let [_, _, ..] = &self.calls[..] {
            shown.extra_notes.push(self.backtrace(class));
        }
        shown.extra_notes.extend(self.notes.iter().cloned());
        shown.render()
    }

    /// Returns a line for each nested call, as in `at Applet.inner(Applet.java:12)`.
    fn backtrace(&self, class: &ClassFile<'_>) -> String {
        let shown = self.calls.iter().take(SHOWN_CALLS_MAX);
        let mut lines = Vec::from_iter(shown.map(|call| line(class, *call)));
        let more = self.calls.len() - lines.len() + self.calls_omitted;
        if more > 0 {
            lines.push(format!("({more} more calls)"));
        }
        lines.join("\n")
    }
}

/// Returns the line of the backtrace for a nested call, which has the pc if the class has no line numbers.
fn line(class: &ClassFile<'_>, call: CallSite) -> String {
    let CallSite { method, pc } = call;
    let name = names::method_name(class, method);
    let code = class.method(method).and_then(|method| method.code());
    let place = place(class, code.and_then(|code| code.line(pc)), pc);
    format!("at {}.{name}({place})", names::class_name(class))
}

fn place(class: &ClassFile<'_>, line: Option<u16>, pc: Pc) -> String {
    let source = names::source_name(class).map(|name| Cut(&name).to_string());
    match (source, line) {
        (Some(source), Some(line)) => format!("{source}:{line}"),
        (None, Some(line)) => format!("line {line}"),
        (_, None) => format!("pc {pc}"),
    }
}
