//! Excerpts of code or bytes around an error, with marks.

use std::collections::BTreeSet;

use annotate_snippets::{Annotation, AnnotationKind, Snippet};
use jive_core::{ClassFile, Code, Disassembly, Pc, decode, instructions};
#[cfg(feature = "json")]
use serde::Serialize;

use crate::diagnosis::Mark;

/// Number of instructions displayed before the error.
const BEFORE: usize = 4;
/// Number of instructions displayed after the error.
const AFTER: usize = 2;

/// An excerpt of code or bytes, with a mark for the error and marks for related lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
    text: String,
    fault: Option<Mark>,
    context: Vec<Mark>,
    /// The displayed instructions.
    pub(super) instructions: Vec<ListedInstruction>,
}

/// An instruction near an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(Serialize))]
pub(super) struct ListedInstruction {
    pc: u16,
    instruction: String,
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    line: Option<u16>,
}

impl Listing {
    /// Returns an excerpt of the instructions around an error and of the related instructions `others`, with their
    /// labels.
    pub(super) fn of_code(
        class: &ClassFile<'_>,
        code: &Code<'_>,
        fault: Pc,
        label: &str,
        others: &[(Pc, String)],
    ) -> Listing {
        let places = instructions(code.bytes).map(|decoded| match decoded {
            Ok(insn) => insn.pc,
            Err(error) => error.pc,
        });
        let places = places.collect::<Vec<_>>();
        let at = places.partition_point(|pc| *pc < fault);
        let around = at.saturating_sub(BEFORE)..places.len().min(at + 1 + AFTER);
        let mut shown = around.collect::<BTreeSet<_>>();
        shown.extend(
            others
                .iter()
                .filter_map(|(pc, _)| places.binary_search(pc).ok()),
        );
        let mut listing = Listing::default();
        let mut last = None;
        for position in shown {
            if last.is_some_and(|last| position > last + 1) {
                listing.line("  ...");
            }
            last = Some(position);
            let pc = places[position];
            let text = instruction(class, code, pc);
            let prefix = format!("{pc:>5}: ");
            let start = listing.text.len() + prefix.len();
            let mark = |label: &str| Mark {
                span: start..start + text.len(),
                label: label.to_owned(),
            };
            if pc == fault {
                listing.fault = Some(mark(label));
            }
            let labels = others.iter().filter(|(other, _)| *other == pc);
            listing.context.extend(labels.map(|(_, label)| mark(label)));
            listing.line(&format!("{prefix}{text}"));
            listing.instructions.push(ListedInstruction {
                pc: pc.0,
                instruction: text,
                line: code.line(pc),
            });
        }
        listing
    }

    /// Returns an excerpt of the bytes around an offset, for a file that is not a class file.
    pub(super) fn of_bytes(bytes: &[u8], offset: u32, label: &str) -> Listing {
        const ROW: usize = 16;
        const BYTE_COLUMNS: usize = 3;
        let offset = usize::try_from(offset).map_or(bytes.len(), |offset| offset.min(bytes.len()));
        let row = offset / ROW * ROW;
        let prefix = |start: usize| format!("{start:>6x}:");
        let line = |start: usize| {
            let shown = bytes[start..]
                .iter()
                .take(ROW)
                .map(|byte| format!(" {byte:02x}"));
            prefix(start) + &shown.collect::<String>()
        };
        let mut listing = Listing::default();
        if row >= ROW {
            listing.line(&line(row - ROW));
        }
        let text = line(row);
        let column = prefix(row).len() + (offset - row) * BYTE_COLUMNS;
        // If the error is at the end of the file, the mark is in the column of the missing byte.
        let text = format!("{text:<width$}", width = column + BYTE_COLUMNS);
        let start = listing.text.len();
        listing.fault = Some(Mark {
            span: start + column + 1..start + column + BYTE_COLUMNS,
            label: label.to_owned(),
        });
        listing.line(&text);
        listing
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Returns the text of the excerpt with its marks, or `None` if the excerpt is empty.
    pub(super) fn snippet(&self) -> Option<Snippet<'_, Annotation<'_>>> {
        let annotation = |kind: AnnotationKind, mark: &Mark| -> Annotation<'static> {
            kind.span(mark.span.clone())
                .label((!mark.label.is_empty()).then(|| mark.label.clone()))
        };
        let fault = self.fault.as_ref()?;
        let context = self.context.iter();
        Some(
            Snippet::source(self.text.trim_end_matches('\n'))
                .line_numbering(false)
                .fold(false)
                .annotation(annotation(AnnotationKind::Primary, fault))
                .annotations(context.map(|mark| annotation(AnnotationKind::Context, mark))),
        )
    }
}

/// Displays an instruction on a single line, without its pc.
pub(super) fn instruction(class: &ClassFile<'_>, code: &Code<'_>, pc: Pc) -> String {
    match decode(code.bytes, pc) {
        Ok(insn) => {
            let text = Disassembly::new(insn, *class).to_string();
            // Only the first line is kept: a switch displays as a line for each case, and can have thousands of cases.
            text.lines().next().unwrap_or("").trim_end().to_owned()
        }
        Err(_) => {
            let byte = code.bytes.get(pc.index()).copied().unwrap_or(0);
            format!("byte {byte:#04x}")
        }
    }
}
