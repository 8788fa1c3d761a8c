//! `jive disasm`: shows a class file's constant pool, members and code, with the verifier's types.

use std::io::{self, Write};
use std::path::PathBuf;

use bumpalo::Bump;
use clap::Args;
use jive_core::{
    ClassAccess, ClassFile, Code, Constant, CpIndex, Cut, Described, Disassembly, FieldAccess,
    MethodAccess, MethodId, Pc, instructions,
};
use jive_embed::analysis::LineTable;
use jive_embed::diagnosis::sentence;
use jive_embed::text::printable_path;
use jive_embed::{Inferred, KEPT_MAX, LoadError, Rejection, names};
use jive_verifier::{Location, Policy};
use nic_core::sle::NicNative;

use super::class_file;
use super::console::{Console, Failure, Status};

/// Column at which the types after an instruction begin.
const TYPES_COLUMN: usize = 60;
/// Maximum number of types shown in each list after an instruction. The limit on shown types is chosen because methods
/// from compilers rarely have more local variables. A method of 65,535 instructions may have 255 local variables.
const TYPES_MAX: usize = 32;

const AFTER_HELP: &str = "\
Behind each instruction that the verifier reached stand the types that local variables and operand
stack hold before it, up to 32 of each, for the first 65536 of these instructions. Of a class that is
rejected they are shown as far as they were inferred, with a mark where it is rejected, and a word where
there are none; the rejection goes to standard error. Names longer than 256 characters are cut, with an
ellipsis in place of the rest.

Examples:
  jive disasm Filter.class
  cat Filter.class | jive disasm -

Exit status:
  0  shown, whether the class verifies or not
  1  not a class file
  2  wrong usage, or a file that cannot be read";

/// Shows a class file's constant pool, members and code, with the verifier's types at each pc.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// A class file, or `builtin:NAME`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let file = arguments.file.as_path();
    let bytes = match class_file::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            let title = format!("cannot read {}: {error}", printable_path(file));
            console.notice(&sentence(&title, &[]))?;
            return Ok(Status::Unusable);
        }
    };
    let arena = Bump::new();
    let index = arena.alloc_slice_fill_copy(ClassFile::index_len(&bytes), 0);
    let class = match ClassFile::parse(&bytes, index) {
        Ok(class) => class,
        Err(error) => {
            let error = LoadError::Parse(error);
            let rejection =
                Rejection::explore(file, &bytes, Policy::ClassOnly, NicNative::TABLE, error);
            console.notice(&rejection.render())?;
            return Ok(Status::Rejected);
        }
    };
    let (inferred, verified) = Inferred::of(class, Policy::ClassOnly, NicNative::TABLE);
    let verdict = Verdict {
        inferred,
        rejected_at: verified.err().map(|error| error.at),
    };
    show(&class, &verdict, console.out())?;
    if let Err(error) = verified {
        let rejection = Rejection::explore(
            file,
            &bytes,
            Policy::ClassOnly,
            NicNative::TABLE,
            LoadError::Verify(error),
        );
        console.notice(&rejection.render())?;
    }
    Ok(Status::Done)
}

/// The verifier's result for a class.
struct Verdict {
    inferred: Inferred,
    rejected_at: Option<Location>,
}

impl Verdict {
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
    fn why_untyped(&self, class: &ClassFile<'_>, method: MethodId) -> Option<String> {
        if self.inferred.knows(method) {
            return None;
        }
        Some(match self.rejected_at {
            Some(Location::Method(id)) if id == method => {
                "no types: this method is rejected before its instructions are followed".to_owned()
            }
            Some(Location::Method(id) | Location::Code { method: id, .. }) if id < method => {
                let name = names::method_name(class, id);
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

fn show(class: &ClassFile<'_>, verdict: &Verdict, out: &mut impl Write) -> io::Result<()> {
    header(class, out)?;
    constants(class, out)?;
    fields(class, out)?;
    methods(class, verdict, out)
}

fn header(class: &ClassFile<'_>, out: &mut impl Write) -> io::Result<()> {
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

fn constants(class: &ClassFile<'_>, out: &mut impl Write) -> io::Result<()> {
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

fn fields(class: &ClassFile<'_>, out: &mut impl Write) -> io::Result<()> {
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

fn methods(class: &ClassFile<'_>, verdict: &Verdict, out: &mut impl Write) -> io::Result<()> {
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
                if let Some(why) = verdict.why_untyped(class, method.id) {
                    writeln!(out, "    {why}")?;
                }
                instruction_list(class, method.id, &code, verdict, out)?;
                handlers(class, &code, out)?;
            }
        }
    }
    Ok(())
}

fn instruction_list(
    class: &ClassFile<'_>,
    method: MethodId,
    code: &Code<'_>,
    verdict: &Verdict,
    out: &mut impl Write,
) -> io::Result<()> {
    let lines = LineTable::of(code);
    let mut line = None;
    for decoded in instructions(code.bytes) {
        let insn = match decoded {
            Ok(insn) => insn,
            Err(error) => {
                let kind = error.kind.to_string();
                match verdict.behind(method, error.pc) {
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
        let text = Disassembly::new(insn, *class).to_string();
        match verdict.behind(method, insn.pc) {
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

fn handlers(class: &ClassFile<'_>, code: &Code<'_>, out: &mut impl Write) -> io::Result<()> {
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
