//! A class file as text: its constant pool, members and code, with the verifier's types.

use std::fmt;

use jive_core::{
    ClassAccess, ClassFile, Code, Constant, CpIndex, Cut, Described, Disassembly, FieldAccess,
    MethodAccess, MethodId, NativeDecl, Pc, instructions,
};
use jive_verifier::{Location, Policy, VerifyError};

use crate::analysis::LineTable;
use crate::inferred::{Inferred, KEPT_MAX};
use crate::names;

/// Column at which the types after an instruction begin.
const TYPES_COLUMN: usize = 60;
/// Maximum number of types shown in each list after an instruction. The limit on shown types is chosen because methods
/// from compilers rarely have more local variables. A method of 65,535 instructions may have 255 local variables.
const TYPES_MAX: usize = 32;

/// A class as text: its constant pool, members and code, with the verifier's types before each instruction.
///
/// Text of the class is shown safely, and names are cut, so a line has a bounded length.
#[derive(Debug)]
pub struct Listing<'a> {
    class: ClassFile<'a>,
    inferred: Inferred,
    rejected_at: Option<Location>,
}

impl<'a> Listing<'a> {
    /// Verifies a class, and returns its listing with the verifier's result. Of a class that is rejected, types are shown
    /// as far as they were inferred.
    pub fn of(
        class: ClassFile<'a>,
        policy: Policy,
        natives: &[NativeDecl<'_>],
    ) -> (Listing<'a>, Result<(), VerifyError>) {
        let (inferred, verified) = Inferred::of(class, policy, natives);
        let listing = Listing {
            class,
            inferred,
            rejected_at: verified.err().map(|error| error.at),
        };
        (listing, verified)
    }

    /// Returns the text after an instruction: its types, and a mark if the class is rejected at this instruction.
    fn behind(&self, method: MethodId, pc: Pc) -> Option<String> {
        let here = Location::Code { method, pc };
        if self.rejected_at == Some(here) {
            let types = self.inferred.failed_at(method, pc);
            let types =
                types.map_or_else(String::new, |types| format!("{} ", types.first(TYPES_MAX)));
            return Some(format!("{types}<- rejected here"));
        }
        let types = self.inferred.before(method, pc)?;
        Some(types.first(TYPES_MAX).to_string())
    }

    /// Returns why the types of a method are unknown; `None` if they are known.
    fn why_untyped(&self, method: MethodId) -> Option<String> {
        if self.inferred.knows(method) {
            return None;
        }
        Some(match self.rejected_at {
            Some(Location::Method(id)) if id == method => {
                "no types: this method is rejected before its instructions are followed".to_owned()
            }
            Some(Location::Method(id) | Location::Code { method: id, .. }) if id < method => {
                let name = names::method_name(&self.class, id);
                format!("no types: the class is rejected for its method {name}, which comes first")
            }
            Some(Location::Code { method: id, .. }) if id == method => {
                "no types: its branches go to more places than it has instructions".to_owned()
            }
            Some(Location::Class | Location::Field(_) | Location::Method(_)) => {
                "no types: the class is rejected before its code is looked at".to_owned()
            }
            Some(Location::Code { .. }) | None => {
                format!("no types: they are shown for {KEPT_MAX} instructions only")
            }
        })
    }
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        header(&self.class, f)?;
        constants(&self.class, f)?;
        fields(&self.class, f)?;
        methods(self, f)
    }
}

fn header(class: &ClassFile<'_>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(
        out,
        "{}class {}",
        class_words(class.access()),
        names::class_name(class)
    )?;
    writeln!(out, "  version {}", class.version())?;
    if let Some(index) = class.super_class() {
        writeln!(out, "  super {}", Described::new(class.pool(), index))?;
    }
    for index in class.interfaces() {
        writeln!(out, "  implements {}", Described::new(class.pool(), index))?;
    }
    if let Some(source) = class.source_file() {
        writeln!(out, "  source {}", Cut(source))?;
    }
    Ok(())
}

fn constants(class: &ClassFile<'_>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let count = class.pool().count();
    writeln!(out, "\nconstant pool (count {count})")?;
    for index in (1..count).map(CpIndex) {
        // The index after a `long` or `double` is unusable (JVMS §4.4.5) and is skipped.
        if let Ok(constant) = class.pool().get(index) {
            // A constant of any other kind has a description that shows the kind.
            let kind = match constant {
                Constant::Utf8(_) => "Utf8 ",
                _ => "",
            };
            let meaning = Described::new(class.pool(), index);
            writeln!(out, "{:>7} = {kind}{meaning}", format!("#{index}"))?;
        }
    }
    Ok(())
}

fn fields(class: &ClassFile<'_>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    if class.field_count() > 0 {
        writeln!(out, "\nfields")?;
    }
    for field in class.fields() {
        let words = field_words(field.access);
        write!(
            out,
            "  {words}{} {}",
            Cut(field.name),
            Cut(field.descriptor)
        )?;
        if let Some(index) = field.constant_value() {
            write!(out, " = {}", Described::new(class.pool(), index))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn methods(listing: &Listing<'_>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let class = &listing.class;
    for method in class.methods() {
        let words = method_words(method.access);
        write!(
            out,
            "\n{words}{}{}",
            Cut(method.name),
            Cut(method.descriptor)
        )?;
        match method.code() {
            None => writeln!(out, "  (no code)")?,
            Some(code) => {
                writeln!(
                    out,
                    "  max_stack {}, max_locals {}, {} bytes of code",
                    code.max_stack,
                    code.max_locals,
                    code.bytes.len()
                )?;
                if let Some(why) = listing.why_untyped(method.id) {
                    writeln!(out, "    {why}")?;
                }
                instruction_list(listing, method.id, &code, out)?;
                handlers(class, &code, out)?;
            }
        }
    }
    Ok(())
}

fn instruction_list(
    listing: &Listing<'_>,
    method: MethodId,
    code: &Code<'_>,
    out: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let lines = LineTable::of(code);
    let mut line = None;
    for decoded in instructions(code.bytes) {
        let insn = match decoded {
            Ok(insn) => insn,
            Err(error) => {
                let kind = error.kind.to_string();
                match listing.behind(method, error.pc) {
                    Some(types) => {
                        writeln!(out, "{:>7}: {kind:<TYPES_COLUMN$} ; {types}", error.pc)?;
                    }
                    None => writeln!(out, "{:>7}: {kind}", error.pc)?,
                }
                break;
            }
        };
        if lines.line(insn.pc) != line {
            line = lines.line(insn.pc);
            if let Some(line) = line {
                writeln!(out, "    line {line}")?;
            }
        }
        let text = Disassembly::new(insn, listing.class).to_string();
        match listing.behind(method, insn.pc) {
            // Put the types after the instruction's first line, because a switch has several lines.
            Some(types) => {
                let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
                writeln!(
                    out,
                    "{:>7}: {:<TYPES_COLUMN$} ; {types}",
                    insn.pc,
                    first.trim_end()
                )?;
                rest.lines()
                    .try_for_each(|line| writeln!(out, "{:9}{line}", ""))?;
            }
            None => writeln!(out, "{:>7}: {}", insn.pc, text.trim_end())?,
        }
    }
    Ok(())
}

fn handlers(class: &ClassFile<'_>, code: &Code<'_>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    for handler in code.exceptions() {
        write!(
            out,
            "    handler at {} for {} to {}",
            handler.handler, handler.start, handler.end
        )?;
        match handler.catch_type {
            Some(index) => writeln!(out, " catches {}", Described::new(class.pool(), index))?,
            None => writeln!(out, " catches all")?,
        }
    }
    Ok(())
}

/// Returns flags as Java keywords, each followed by a space.
fn words(flags: impl Iterator<Item = &'static str>) -> String {
    flags
        .map(|flag| format!("{} ", flag.to_ascii_lowercase()))
        .collect()
}

fn class_words(access: ClassAccess) -> String {
    // Leave out the flag SUPER: every compiler since Java 1.1 sets it, and it has no effect.
    words(
        access
            .difference(ClassAccess::SUPER)
            .iter_names()
            .map(|(name, _)| name),
    )
}

fn field_words(access: FieldAccess) -> String {
    words(access.iter_names().map(|(name, _)| name))
}

fn method_words(access: MethodAccess) -> String {
    words(access.iter_names().map(|(name, _)| name))
}
