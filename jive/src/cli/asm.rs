//! `jive asm`: assembles the text form of a class file, and writes a class file as that text.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bumpalo::Bump;
use clap::Args;
use jive_core::{ClassFile, Opcode};
use jive_embed::diagnosis::{Diagnosis, Mark, sentence};
use jive_embed::input::{self, ReadError};
use jive_embed::text::printable_path;
use jive_embed::{LoadError, Rejection, plain_text};
use jive_lab::asm::{AsmError, AsmErrorKind, DIRECTIVES, assemble, disassemble};
use jive_verifier::Policy;
use nic_core::sle::NicNative;
use nic_runtime::scenario::closest;

use super::class_file;
use super::console::{Console, Failure, Status};
use super::output_file::{OutputFile, unwritable};
use super::overwrite;

/// The argument that stands for standard input or output.
const STANDARD: &str = "-";

/// The longest source. A class file has 1 MiB at most, and its text is a few times as long.
const SOURCE_BYTES_MAX: u64 = 16 << 20;

/// The first bytes of a class file (JVMS §4.1).
const CLASS_MAGIC: [u8; 4] = [0xca, 0xfe, 0xba, 0xbe];

const AFTER_HELP: &str = "\
The text has one line for each instruction, field and method; docs/assembly.md describes it. It can say
what no compiler writes, so the class file may be malformed on purpose: `jive verify` judges it. What
`--print` writes assembles to a class with the same members and code.

Examples:
  jive asm Overflow.jasm                   writes Overflow.class
  jive asm --print Filter.class > Filter.jasm
  jive asm --print Filter.class | jive asm - --out Again.class

Exit status:
  0  done
  1  a line is wrong, or `--print` was given what is not a class file
  2  wrong usage, or a file that cannot be read or written";

/// Assembles the text form of a class file; with --print, writes a class file as text.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// A source; with --print a class file or `builtin:NAME`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write a class file as text
    #[arg(long)]
    print: bool,

    /// Where the result goes in place of FILE.class, or of standard output with --print
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    if arguments.print {
        print(arguments, console)
    } else {
        write_class(arguments, console)
    }
}

/// Reads a source, and writes its class file.
fn write_class(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let file = arguments.file.as_path();
    let shown = printable_path(file);
    let is_stream = file == Path::new(STANDARD);
    let target = match &arguments.out {
        Some(target) => target.clone(),
        None if is_stream => {
            let title =
                "expected `--out FILE`: a source from standard input has no name of its own";
            console.notice(&sentence(title, &[]))?;
            return Ok(Status::Unusable);
        }
        None => file.with_extension("class"),
    };
    let source = if is_stream {
        input::read_prefix(io::stdin().lock(), SOURCE_BYTES_MAX + 1)
    } else {
        input::read_given(file, SOURCE_BYTES_MAX)
    };
    let source = match source {
        Ok(source) if source.len() as u64 > SOURCE_BYTES_MAX => {
            let limit = SOURCE_BYTES_MAX;
            return unreadable(file, &ReadError::TooLarge { limit }, console);
        }
        Ok(source) => source,
        Err(error) => return unreadable(file, &error, console),
    };
    let text = match plain_text::plain(&source) {
        Ok(text) => text,
        Err(error) => {
            let title = format!("{shown}:{}: expected UTF-8 text", error.line);
            let is_class = source.starts_with(&CLASS_MAGIC);
            let help = is_class.then(|| "`--print` writes a class file as text".to_owned());
            console.notice(&sentence(&title, help.as_slice()))?;
            return Ok(Status::Rejected);
        }
    };
    match assemble(&shown, &text) {
        Ok(assembled) => place(&target, &assembled.bytes, &[file], console),
        Err(error) => {
            console.notice(&render(&error, &text))?;
            Ok(Status::Rejected)
        }
    }
}

/// Reads a class file, and writes its text.
fn print(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let file = arguments.file.as_path();
    let bytes = match class_file::read(file) {
        Ok(bytes) => bytes,
        Err(error) => return unreadable(file, &error, console),
    };
    let arena = Bump::new();
    let index = arena.alloc_slice_fill_copy(ClassFile::index_len(&bytes), 0);
    let text = match ClassFile::parse(&bytes, index) {
        Ok(class) => disassemble(class),
        Err(error) => {
            let error = LoadError::Parse(error);
            let rejection =
                Rejection::explore(file, &bytes, Policy::ClassOnly, NicNative::TABLE, error);
            console.notice(&rejection.render())?;
            return Ok(Status::Rejected);
        }
    };
    match &arguments.out {
        Some(target) => place(target, text.as_bytes(), &[file], console),
        None => {
            console.out().write_all(text.as_bytes())?;
            Ok(Status::Done)
        }
    }
}

fn unreadable(
    file: &Path,
    why: &dyn std::fmt::Display,
    console: &mut Console,
) -> Result<Status, Failure> {
    let title = format!("cannot read {}: {why}", printable_path(file));
    console.notice(&sentence(&title, &[]))?;
    Ok(Status::Unusable)
}

/// Writes the result to a file, or to standard output for `-`.
fn place(
    target: &Path,
    bytes: &[u8],
    inputs: &[&Path],
    console: &mut Console,
) -> Result<Status, Failure> {
    if target == Path::new(STANDARD) {
        console.out().write_all(bytes)?;
        return Ok(Status::Done);
    }
    if let Err(refusal) = overwrite::check(&[target], inputs) {
        console.notice(&refusal)?;
        return Ok(Status::Unusable);
    }
    let written = OutputFile::named(target).and_then(|mut file| {
        file.write_all(bytes)?;
        file.place()
    });
    match written {
        Ok(()) => {
            console.written(&format!("wrote {}", printable_path(target)))?;
            Ok(Status::Done)
        }
        Err(error) => {
            console.notice(&unwritable(target, &error))?;
            Ok(Status::Unusable)
        }
    }
}

/// Renders an error of the assembler with its line of the source.
fn render(error: &AsmError, source: &str) -> String {
    let number = usize::try_from(error.line).unwrap_or(1).max(1);
    let start = source
        .split_inclusive('\n')
        .take(number - 1)
        .map(str::len)
        .sum::<usize>();
    let line = source[start..].lines().next().unwrap_or_default();
    let indent = line.len() - line.trim_start().len();
    let mut help = help(&error.kind);
    if help.is_empty() {
        help.push_str("docs/assembly.md describes every line");
    }
    let diagnosis = Diagnosis {
        title: error.kind.to_string(),
        path: &error.file,
        text: source,
        mark: Mark {
            span: start + indent..start + line.trim_end().len().max(indent),
            label: String::new(),
        },
        context: Vec::new(),
        notes: Vec::new(),
        help: vec![help],
    };
    diagnosis.render()
}

/// Returns advice about an error, or an empty text if the error's message already contains the advice.
fn help(kind: &AsmErrorKind) -> String {
    let mut help = String::new();
    let mut did_you_mean = |word: Option<&str>| {
        if let Some(word) = word {
            // Writing to a string cannot fail.
            let _ = write!(help, "did you mean `{word}`?");
        }
    };
    match kind {
        AsmErrorKind::UnknownDirective { name } => {
            did_you_mean(closest(name, DIRECTIVES));
        }
        AsmErrorKind::UnknownMnemonic { name } => {
            let mnemonics = Opcode::ALL.iter().map(|opcode| opcode.mnemonic());
            did_you_mean(closest(name, mnemonics));
        }
        AsmErrorKind::UnknownLabel { name } => {
            let _ = write!(
                help,
                "write `{name}:` before the instruction that it names, in the same method"
            );
        }
        AsmErrorKind::DuplicateLabel { .. } => {
            help.push_str("give each label of a method another name")
        }
        AsmErrorKind::UnknownConstant { name } => {
            let _ = write!(help, "define it with `.constant {name} CONSTANT`");
        }
        AsmErrorKind::NoWideForm { .. } => {
            help.push_str("`wide` precedes loads and stores of local variables, `iinc` and `ret`");
        }
        AsmErrorKind::OutsideCode => {
            help.push_str("begin the method with `.method NAME()V stack 1 locals 1`");
        }
        AsmErrorKind::UnpairedRepeat => {
            help.push_str("close each `.repeat N` with a line `.end`, and do not nest them");
        }
        AsmErrorKind::UnknownItem { .. } => {
            help.push_str("name an item of JVMS §4 that the class, field or method above has, such as `name_index`");
        }
        AsmErrorKind::TooLong { .. } => help.push_str("repeat less"),
        AsmErrorKind::PoolFull => {
            help.push_str("a class has at most 65,534 constants: split it, or name fewer");
        }
        AsmErrorKind::LineTooShort { .. }
        | AsmErrorKind::LineTooLong { .. }
        | AsmErrorKind::Unexpected { .. }
        | AsmErrorKind::DoesNotFit { .. } => {}
    }
    help
}
