//! A fixture: a source in assembly whose first line says what becomes of it.
//!
//! ```text
//! ; expect: ok                                            it is accepted
//! ; expect: subset/interface                              the class as a whole is rejected
//! ; expect: subset/long in field x                        one of its fields is
//! ; expect: unsafe/missing-code in method run             one of its methods is
//! ; expect: unsafe/stack-underflow at pc 1                an instruction is, of the first method
//! ; expect: unsafe/stack-underflow in other at pc 1       or of another
//! ; expect: malformed/magic at byte 0                     the file is
//! ; expect: return 5 from run                             a call returns this value
//! ; expect: return from run                               or none
//! ; expect: trap ArithmeticException in run at pc 3       or it traps
//! ```
//!
//! Lines that may follow: `; call: run 1 2` (otherwise the method named is called without arguments)
//! and `; policy: class-only` (otherwise the class is judged as an applet).

use core::fmt;
use std::path::{Path, PathBuf};

use jive_verifier::Policy;
use nic_core::sle::NicEntry;

use crate::asm::assemble;

/// A class file and what has to become of it.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// Path below the directory of fixtures, without its extension.
    pub name: String,
    /// The assembled class file.
    pub bytes: Vec<u8>,
    /// By which rules the class is judged.
    pub policy: Policy,
    /// The method that is called where the expectation is about a call.
    pub call: Call,
    /// What has to become of it.
    pub expected: Outcome,
}

/// A method with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The method's name.
    pub method: String,
    /// What it is called with.
    pub arguments: Vec<i32>,
}

/// What becomes of a class file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is accepted, and nothing is called.
    Accepted,
    /// It is rejected by this code.
    Rejected {
        /// The stable code of the rejection.
        code: String,
        /// Where the fault lies.
        at: Place,
    },
    /// It is accepted and the call returns.
    Returned {
        /// The method called.
        method: String,
        /// What it returns; nothing for `void`.
        value: Option<i32>,
    },
    /// It is accepted and the call traps.
    Trapped {
        /// The trap's name.
        trap: String,
        /// The method of the innermost frame.
        method: String,
        /// Where in that method.
        pc: u16,
    },
}

/// Where in a class file a fault lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the class as a whole.
    Class,
    /// At this offset of the file.
    Byte(u32),
    /// In the declaration of this field.
    Field(String),
    /// In the declaration of this method.
    Method(String),
    /// In this instruction.
    Code {
        /// The method that holds it.
        method: String,
        /// Where in that method.
        pc: u16,
    },
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Accepted => f.write_str("ok"),
            Outcome::Rejected { code, at } => write!(f, "{code}{at}"),
            Outcome::Returned { method, value } => match value {
                Some(value) => write!(f, "return {value} from {method}"),
                None => write!(f, "return from {method}"),
            },
            Outcome::Trapped { trap, method, pc } => {
                write!(f, "trap {trap} in {method} at pc {pc}")
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Class => Ok(()),
            Place::Byte(offset) => write!(f, " at byte {offset}"),
            Place::Field(name) => write!(f, " in field {name}"),
            Place::Method(name) => write!(f, " in method {name}"),
            Place::Code { method, pc } => write!(f, " in {method} at pc {pc}"),
        }
    }
}

impl Fixture {
    /// Reads and assembles every `.jasm` file below `fixtures`, in the order of their names.
    ///
    /// # Panics
    ///
    /// Where a file cannot be read, says nothing of what to expect, or is not assembly.
    #[must_use]
    pub fn all() -> Vec<Fixture> {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let mut sources = Vec::new();
        collect(&directory, &mut sources);
        sources.sort();
        sources
            .iter()
            .map(|path| {
                let name = path
                    .strip_prefix(&directory)
                    .expect("it was found below the directory")
                    .with_extension("");
                let text = std::fs::read_to_string(path)
                    .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                Fixture::parse(&name.to_string_lossy(), &text)
                    .unwrap_or_else(|error| panic!("{error}"))
            })
            .collect()
    }

    /// Assembles a source and reads its expectation.
    pub fn parse(name: &str, text: &str) -> Result<Fixture, String> {
        let assembled = assemble(name, text).map_err(|error| error.to_string())?;
        let first_method = assembled
            .first_method
            .unwrap_or_else(|| "<init>".to_owned());
        let wrong = |line: &str| format!("{name}: expected an expectation, found `{line}`");
        let first = text.lines().next().unwrap_or_default();
        let expected = first
            .strip_prefix("; expect: ")
            .and_then(|words| Outcome::parse(words, &first_method))
            .ok_or_else(|| wrong(first))?;
        let mut call = Call {
            method: match &expected {
                Outcome::Returned { method, .. } => method.clone(),
                Outcome::Accepted | Outcome::Rejected { .. } | Outcome::Trapped { .. } => {
                    first_method
                }
            },
            arguments: Vec::new(),
        };
        let mut policy = Policy::Applet {
            entries: NicEntry::TABLE,
        };
        for line in text.lines().take_while(|line| line.starts_with(';')) {
            if let Some(words) = line.strip_prefix("; call: ") {
                call = Call::parse(words).ok_or_else(|| wrong(line))?;
            } else if line == "; policy: class-only" {
                policy = Policy::ClassOnly;
            }
        }
        Ok(Fixture {
            name: name.to_owned(),
            bytes: assembled.bytes,
            policy,
            call,
            expected,
        })
    }

    /// Returns the code that a file below `reject/` is named after: `unsafe/merge-type` for
    /// `reject/unsafe/merge-type.jasm` and for `reject/unsafe/merge-type.switch.jasm`.
    #[must_use]
    pub fn rejection(&self) -> Option<&str> {
        let path = self.name.strip_prefix("reject/")?;
        Some(path.split_once('.').map_or(path, |(code, _)| code))
    }
}

fn collect(directory: &Path, sources: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    for entry in entries {
        let path = entry.expect("the directory is readable").path();
        if path.is_dir() {
            collect(&path, sources);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "jasm")
        {
            sources.push(path);
        }
    }
}

impl Call {
    fn parse(words: &str) -> Option<Call> {
        let mut words = words.split_whitespace();
        Some(Call {
            method: words.next()?.to_owned(),
            arguments: words.map(|word| word.parse().ok()).collect::<Option<_>>()?,
        })
    }
}

impl Outcome {
    fn parse(words: &str, first_method: &str) -> Option<Outcome> {
        let words: Vec<&str> = words.split_whitespace().collect();
        let method = || first_method.to_owned();
        let rejected = |code: &str, at| {
            code.contains('/').then(|| Outcome::Rejected {
                code: code.to_owned(),
                at,
            })
        };
        match words.as_slice() {
            ["ok"] => Some(Outcome::Accepted),
            ["return", value, "from", method] => Some(Outcome::Returned {
                method: (*method).to_owned(),
                value: Some(value.parse().ok()?),
            }),
            ["return", "from", method] => Some(Outcome::Returned {
                method: (*method).to_owned(),
                value: None,
            }),
            ["trap", trap, "at", "pc", pc] => Some(Outcome::Trapped {
                trap: (*trap).to_owned(),
                method: method(),
                pc: pc.parse().ok()?,
            }),
            ["trap", trap, "in", method, "at", "pc", pc] => Some(Outcome::Trapped {
                trap: (*trap).to_owned(),
                method: (*method).to_owned(),
                pc: pc.parse().ok()?,
            }),
            [code] => rejected(code, Place::Class),
            [code, "at", "byte", offset] => rejected(code, Place::Byte(offset.parse().ok()?)),
            [code, "in", "field", name] => rejected(code, Place::Field((*name).to_owned())),
            [code, "in", "method", name] => rejected(code, Place::Method((*name).to_owned())),
            [code, "at", "pc", pc] => rejected(
                code,
                Place::Code {
                    method: method(),
                    pc: pc.parse().ok()?,
                },
            ),
            [code, "in", method, "at", "pc", pc] => rejected(
                code,
                Place::Code {
                    method: (*method).to_owned(),
                    pc: pc.parse().ok()?,
                },
            ),
            _ => None,
        }
    }
}
