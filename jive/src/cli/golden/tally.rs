//! The results of scenarios, counted and shown.

use std::io::Write;
use std::path::{Path, PathBuf};

use jive_embed::diagnosis::warning;
use jive_embed::text::printable_path;

use crate::cli::console::{Console, Failure, Status};
use crate::cli::junit::{CaseResult, Suite};
use crate::cli::output_file::{OutputFile, unwritable};
use crate::cli::overwrite;
use crate::cli::test_files::TestFile;

/// The result of one scenario.
pub(super) enum Outcome {
    Passed,
    /// The number of calls that agree with OpenJDK, and notes that name the calls that were not compared.
    Agrees(u64, Vec<String>),
    /// No call was compared with OpenJDK, for these reasons.
    NotCompared(Vec<String>),
    /// The golden trace was written; `false` if it was the same before.
    Blessed(bool),
    Differs(String),
    Failed(Status, String),
}

/// The result of a scenario, the files that were read for it, and further notes for the user.
pub(in crate::cli) struct Judged {
    pub(super) outcome: Outcome,
    pub(super) inputs: Vec<PathBuf>,
    pub(super) notes: Vec<String>,
}

impl Judged {
    /// Returns the files that were read for the scenario.
    pub(in crate::cli) fn inputs(&self) -> &[PathBuf] {
        &self.inputs
    }

    /// Returns whether the scenario could not be run, so that its inputs are not all known.
    pub(in crate::cli) fn has_failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(..))
    }
}

/// The results of all scenarios so far.
pub(in crate::cli) struct Tally {
    pub(super) status: Status,
    passed: usize,
    differ: usize,
    failed: usize,
    not_compared: usize,
    suite: Suite,
    inputs: Vec<PathBuf>,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally {
            status: Status::Done,
            passed: 0,
            differ: 0,
            failed: 0,
            not_compared: 0,
            suite: Suite::default(),
            inputs: Vec::new(),
        }
    }
}

impl Tally {
    /// Counts the result of a scenario, and shows it.
    pub(in crate::cli) fn take(
        &mut self,
        file: &TestFile,
        judged: Judged,
        bless: bool,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let name = printable_path(&file.path);
        self.inputs.extend(judged.inputs);
        for note in judged.notes {
            console.notice(&warning(&note))?;
        }
        let result = match judged.outcome {
            Outcome::Passed => {
                self.passed += 1;
                let unwritten = if bless {
                    " (no golden trace to bless: name the scenario to write one)"
                } else {
                    ""
                };
                console.remark(&format!("ok: {name}{unwritten}"))?;
                CaseResult::Passed
            }
            Outcome::Agrees(calls, notes) => {
                self.passed += 1;
                console.remark(&format!("agrees: {name} ({calls} calls)"))?;
                for note in notes {
                    writeln!(console.out(), "  {note}")?;
                }
                CaseResult::Passed
            }
            Outcome::NotCompared(reasons) => {
                self.not_compared += 1;
                console.remark(&format!("not compared: {name}"))?;
                for reason in &reasons {
                    writeln!(console.out(), "  {reason}")?;
                }
                CaseResult::Skipped(reasons.join("\n"))
            }
            Outcome::Blessed(is_new) => {
                self.passed += 1;
                let golden = printable_path(&file.golden());
                let what = if is_new {
                    "wrote"
                } else {
                    "the same as before:"
                };
                console.remark(&format!("blessed: {name} ({what} {golden})"))?;
                CaseResult::Passed
            }
            Outcome::Differs(difference) => {
                self.differ += 1;
                self.status = self.status.max(Status::Rejected);
                console.data(&format!("differs: {name}\n{difference}"))?;
                CaseResult::Failure(difference)
            }
            Outcome::Failed(failed, report) => {
                self.failed += 1;
                self.status = self.status.max(failed);
                console.notice(&report)?;
                CaseResult::Error(report)
            }
        };
        self.suite.add(&name, result);
        Ok(())
    }

    /// Returns whether no scenario was run.
    pub(in crate::cli) fn is_empty(&self) -> bool {
        self.passed + self.differ + self.failed + self.not_compared == 0
    }

    /// Returns how many scenarios had which result; `word` is for those in which all was as it should be.
    pub(in crate::cli) fn total(&self, word: &str) -> String {
        let Tally {
            passed,
            differ,
            failed,
            not_compared,
            ..
        } = self;
        let apart = match not_compared {
            0 => String::new(),
            count => format!(", {count} not compared"),
        };
        format!("{passed} {word}, {differ} differ, {failed} failed to load{apart}")
    }

    /// Writes the results as JUnit XML, unless that would overwrite a file that the scenarios were read from.
    pub(super) fn write_junit(&self, path: &Path) -> Result<(), String> {
        let inputs = self.inputs.iter().map(PathBuf::as_path);
        overwrite::check(&[path], &inputs.collect::<Vec<_>>())?;
        let written = OutputFile::named(path).and_then(|mut file| {
            write!(file, "{}", self.suite)?;
            file.place()
        });
        written.map_err(|error| unwritable(path, &error))
    }
}
