//! `jive init`: starts an applet with a source, a scenario that tests it, and the stub that it compiles against.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use jive_embed::diagnosis::sentence;
use jive_embed::text::printable_path;
use nic_runtime::applet::java_stub;

use super::console::{Console, Failure, Status};
use super::output_file::{unwritable, write_derived};

/// The text that stands for the applet's name in the templates.
const PLACEHOLDER: &str = "NAME";

/// Words that Java reserves, so that no class can have them as its name (JLS §3.9).
const RESERVED: [&str; 53] = [
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "void",
    "volatile",
    "while",
];

/// The types of `java.lang`, up to Java 25. Every source imports them, and an applet of such a name would hide one.
const JAVA_LANG: [&str; 108] = [
    "AbstractMethodError",
    "Appendable",
    "ArithmeticException",
    "ArrayIndexOutOfBoundsException",
    "ArrayStoreException",
    "AssertionError",
    "AutoCloseable",
    "Boolean",
    "BootstrapMethodError",
    "Byte",
    "CharSequence",
    "Character",
    "Class",
    "ClassCastException",
    "ClassCircularityError",
    "ClassFormatError",
    "ClassLoader",
    "ClassNotFoundException",
    "ClassValue",
    "CloneNotSupportedException",
    "Cloneable",
    "Comparable",
    "Compiler",
    "Deprecated",
    "Double",
    "Enum",
    "EnumConstantNotPresentException",
    "Error",
    "Exception",
    "ExceptionInInitializerError",
    "Float",
    "FunctionalInterface",
    "IllegalAccessError",
    "IllegalAccessException",
    "IllegalArgumentException",
    "IllegalCallerException",
    "IllegalMonitorStateException",
    "IllegalStateException",
    "IllegalThreadStateException",
    "IncompatibleClassChangeError",
    "IndexOutOfBoundsException",
    "InheritableThreadLocal",
    "InstantiationError",
    "InstantiationException",
    "Integer",
    "InternalError",
    "InterruptedException",
    "Iterable",
    "LayerInstantiationException",
    "LinkageError",
    "Long",
    "MatchException",
    "Math",
    "Module",
    "ModuleLayer",
    "NegativeArraySizeException",
    "NoClassDefFoundError",
    "NoSuchFieldError",
    "NoSuchFieldException",
    "NoSuchMethodError",
    "NoSuchMethodException",
    "NullPointerException",
    "Number",
    "NumberFormatException",
    "Object",
    "OutOfMemoryError",
    "Override",
    "Package",
    "Process",
    "ProcessBuilder",
    "ProcessHandle",
    "Readable",
    "Record",
    "ReflectiveOperationException",
    "Runnable",
    "Runtime",
    "RuntimeException",
    "RuntimePermission",
    "SafeVarargs",
    "ScopedValue",
    "SecurityException",
    "SecurityManager",
    "Short",
    "StackOverflowError",
    "StackTraceElement",
    "StackWalker",
    "StrictMath",
    "String",
    "StringBuffer",
    "StringBuilder",
    "StringIndexOutOfBoundsException",
    "StringTemplate",
    "SuppressWarnings",
    "System",
    "Thread",
    "ThreadDeath",
    "ThreadGroup",
    "ThreadLocal",
    "Throwable",
    "TypeNotPresentException",
    "UnknownError",
    "UnsatisfiedLinkError",
    "UnsupportedClassVersionError",
    "UnsupportedOperationException",
    "VerifyError",
    "VirtualMachineError",
    "Void",
    "WrongThreadException",
];

/// Maximum number of letters of an applet's name, which becomes a file's name and is part of every line of a trace.
const NAME_LENGTH_MAX: usize = 64;

const AFTER_HELP: &str = "\
Examples:
  jive init Parrot                    writes ./Parrot with an applet and its test
  cd Parrot && javac --release 8 -g Parrot.java && jive test

Exit status:
  0  done
  2  wrong usage, or a file cannot be written";

/// Starts an applet: its source, a scenario that tests it, and the natives' declarations.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The name of the class, such as `Parrot`; a directory of this name is made
    #[arg(value_name = "NAME", value_parser = class_name)]
    name: String,

    /// Write into this directory in place of ./NAME
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Accepts a name that Java allows for a class.
fn class_name(name: &str) -> Result<String, String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !begins_well || !name.chars().all(is_part) || name.len() > NAME_LENGTH_MAX {
        return Err(format!(
            "expected the name of a class: a letter, then letters, digits and `_`, at most {NAME_LENGTH_MAX}"
        ));
    }
    if RESERVED.contains(&name) {
        return Err("expected the name of a class, found a word that Java reserves".to_owned());
    }
    if JAVA_LANG.contains(&name) {
        return Err(format!(
            "expected another name than those of Java itself, found that of `java.lang.{name}`"
        ));
    }
    Ok(name.to_owned())
}

/// Returns the files of a new applet, each with its path below the applet's directory.
fn files(name: &str) -> [(String, String); 5] {
    let of = |template: &str| template.replace(PLACEHOLDER, name);
    [
        (
            format!("{name}.java"),
            of(include_str!("project/Applet.java")),
        ),
        ("unet/Nic.java".to_owned(), java_stub()),
        (
            format!("{name}.toml"),
            of(include_str!("project/scenario.toml")),
        ),
        (
            "README.md".to_owned(),
            of(include_str!("project/README.md")),
        ),
        (".gitignore".to_owned(), "*.class\n".to_owned()),
    ]
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let name = &arguments.name;
    let directory = arguments.out.clone().unwrap_or_else(|| PathBuf::from(name));
    let files = files(name).map(|(path, text)| (directory.join(path), text));
    // A second `init` must not overwrite what the user wrote after the first one.
    if let Some((path, _)) = files.iter().find(|(path, _)| is_there(path)) {
        let title = format!(
            "{} is there already: nothing was written",
            printable_path(path)
        );
        console.notice(&sentence(&title, &[]))?;
        return Ok(Status::Unusable);
    }
    for (path, text) in &files {
        if let Err(error) = write(path, text) {
            console.notice(&unwritable(path, &error))?;
            return Ok(Status::Unusable);
        }
    }
    let shown = printable_path(&directory);
    console.notice(&format!(
        "wrote {shown}. What comes next:\n  cd {shown}\n  javac --release 8 -g {name}.java\n  jive test"
    ))?;
    Ok(Status::Done)
}

/// Returns whether a file of any kind exists at a path.
fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    write_derived(path, text)
}
