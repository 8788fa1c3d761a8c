//! Fixtures: assembly sources whose first line gives the expected outcome.
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
//! Two more lines may follow the first line of a fixture. `; call: run 1 2` gives the call; by default the named method
//! is called without arguments. With `; policy: class-only` the class is verified as a plain class, with
//! `; policy: direct` as an applet for NICs that receive directly, and with `; policy: program` as a program of the
//! host; by default the class is verified as an applet.

use core::fmt;
use std::path::{Path, PathBuf};

use jive_core::NativeDecl;
use jive_verifier::Policy;
use nic_core::javia::{ProgramEntry, ViaNative};
use nic_core::sle::{NicEntry, NicNative};

use jive_lab::asm::assemble;

/// A class file and its expected outcome.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// Path below the directory of fixtures, without its extension.
    pub name: String,
    /// The assembled class file.
    pub bytes: Vec<u8>,
    /// The policy by which the class is verified.
    pub policy: Policy,
    /// The call, if the expectation is about a call.
    pub call: Call,
    /// The expected outcome.
    pub expected: Outcome,
}

/// A method with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Name of the method.
    pub method: String,
    /// The arguments.
    pub arguments: Vec<i32>,
}

/// The outcome of a class file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The class is accepted, and nothing is called.
    Accepted,
    /// The class is rejected with this code.
    Rejected {
        /// The stable code of the rejection.
        code: String,
        /// Place of the fault.
        at: Place,
    },
    /// The class is accepted and the call returns.
    Returned {
        /// The method called.
        method: String,
        /// The returned value; `None` for `void`.
        value: Option<i32>,
    },
    /// The class is accepted and the call traps.
    Trapped {
        /// The trap's name.
        trap: String,
        /// The method of the innermost frame.
        method: String,
        /// The pc in that method.
        pc: u16,
    },
}

/// The place of a fault in a class file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The class as a whole.
    Class,
    /// An offset in the file.
    Byte(u32),
    /// The declaration of a field.
    Field(String),
    /// The declaration of a method.
    Method(String),
    /// An instruction.
    Code {
        /// The method that contains the instruction.
        method: String,
        /// The pc in that method.
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
    /// Reads and assembles all `.jasm` files below `fixtures`, sorted by name.
    ///
    /// # Panics
    ///
    /// Panics if a file cannot be read, has no expectation, or cannot be assembled.
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

    /// Assembles a source and parses its expectation.
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
            } else if line == "; policy: direct" {
                policy = Policy::DirectApplet {
                    entries: NicEntry::TABLE,
                };
            } else if line == "; policy: program" {
                policy = Policy::Program {
                    entries: ProgramEntry::TABLE,
                };
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

    /// Returns the natives that the class may call.
    #[must_use]
    pub fn natives(&self) -> &'static [NativeDecl<'static>] {
        match self.policy {
            Policy::Program { .. } => ViaNative::TABLE,
            Policy::Applet { .. } | Policy::DirectApplet { .. } | Policy::ClassOnly => {
                NicNative::TABLE
            }
        }
    }

    /// Returns the rejection code in the name of a file below `reject/`: `unsafe/merge-type` for
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
