//! `jive watch`: verifies class files and runs tests whenever a file that they are made of changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use clap::Args;
use jive_embed::diagnosis::sentence;
use jive_embed::text::printable_path;
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use super::console::{Console, Failure, Status};
use super::golden::{self, Tally};
use super::interrupt;
use super::test_files::{TestFile, TestFiles};
use super::verify;

/// Changes that follow each other this closely are one change: a compiler writes its files one after the other, and each
/// in several parts.
const QUIET: Duration = Duration::from_millis(100);

/// How often Ctrl-C is looked for while nothing changes.
const PATIENCE: Duration = Duration::from_millis(200);

const AFTER_HELP: &str = "\
Compiles nothing: an editor, `javac` or a build writes the class files. A changed class is verified, with its warnings,
and the tests that read it are run; so is a test whose scenario, golden trace or capture changed, and one that could not
be loaded before.

Examples:
  jive watch                    everything below the current directory
  jive watch scenarios          the tests below `scenarios`, with the classes that they name
  jive watch my.toml            one test

Exit status:
  0  ended by Ctrl-C
  2  wrong usage, or a path that cannot be watched";

/// Verifies and tests what changed, until Ctrl-C.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// A directory to look below, a scenario or a class file
    #[arg(default_value = ".")]
    path: PathBuf,
}

/// Runs the command.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let is_interrupted = interrupt::requested();
    let root = &arguments.path;
    let (mut watched, changes) = match Watched::at(root) {
        Ok(watched) => watched,
        Err(error) => {
            let title = format!("cannot watch {}: {error}", printable_path(root));
            console.notice(&sentence(&title, &[]))?;
            return Ok(Status::Unusable);
        }
    };
    watched.check(&Changed::Everything, console)?;
    console.remark(&format!("watching {}, until Ctrl-C", printable_path(root)))?;
    console.flush()?;
    while let Some(changed) = next_change(&changes, &is_interrupted) {
        watched.check(&changed, console)?;
        console.flush()?;
    }
    Ok(Status::Done)
}

/// What changed since the last check.
enum Changed {
    /// These files, by their canonical paths.
    Files(BTreeSet<PathBuf>),
    /// Files that the system did not name.
    Everything,
}

impl Changed {
    fn has(&self, file: &Path) -> bool {
        match self {
            Changed::Files(files) => files.contains(&canonical(file)),
            Changed::Everything => true,
        }
    }
}

/// Waits for a change and for those that follow it closely. Returns `None` after Ctrl-C.
fn next_change(
    changes: &Receiver<notify::Result<Event>>,
    is_interrupted: &AtomicBool,
) -> Option<Changed> {
    let mut files = BTreeSet::new();
    let mut is_everything = false;
    loop {
        if is_interrupted.load(Ordering::Relaxed) {
            return None;
        }
        let is_first = files.is_empty() && !is_everything;
        match changes.recv_timeout(if is_first { PATIENCE } else { QUIET }) {
            // Reading a file is an access.
            Ok(Ok(event)) if event.kind.is_access() => {}
            Ok(Ok(event)) => {
                is_everything |= event.need_rescan();
                files.extend(event.paths.iter().map(|path| canonical(path)));
            }
            // The system has lost changes.
            Ok(Err(_)) => is_everything = true,
            Err(RecvTimeoutError::Timeout) if is_first => {}
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    Some(match is_everything {
        true => Changed::Everything,
        false => Changed::Files(files),
    })
}

/// Returns a path without links, for a file that was deleted too.
fn canonical(file: &Path) -> PathBuf {
    let parent = match file.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return file.to_owned(),
    };
    let name = file.file_name();
    let in_parent = fs::canonicalize(parent).ok().zip(name);
    let in_parent = in_parent.map(|(parent, name)| parent.join(name));
    fs::canonicalize(file)
        .ok()
        .or(in_parent)
        .unwrap_or_else(|| file.to_owned())
}

/// The files below a path, and what the system is asked to watch.
struct Watched<'r> {
    root: &'r Path,
    /// The files that each test read when it last ran; `None` if it could not be loaded, which any change may mend.
    tests: BTreeMap<PathBuf, Option<Vec<PathBuf>>>,
    watcher: RecommendedWatcher,
    /// The directories that are watched besides those below the root.
    outside: BTreeSet<PathBuf>,
}

type Started<'r> = (Watched<'r>, Receiver<notify::Result<Event>>);

impl<'r> Watched<'r> {
    /// Begins to watch a path.
    fn at(root: &'r Path) -> notify::Result<Started<'r>> {
        let (sender, changes) = channel();
        let mut watched = Watched {
            root,
            tests: BTreeMap::new(),
            watcher: notify::recommended_watcher(sender)?,
            outside: BTreeSet::new(),
        };
        if fs::metadata(root)?.is_dir() {
            watched.watcher.watch(root, RecursiveMode::Recursive)?;
        } else {
            watched.watch_beside(root)?;
        }
        Ok((watched, changes))
    }

    /// Watches the directory of a file that does not lie below the root. The directory, since editors replace files.
    fn watch_beside(&mut self, file: &Path) -> notify::Result<()> {
        let file = canonical(file);
        let root = canonical(self.root);
        let Some(directory) = file.parent() else {
            return Ok(());
        };
        if (root.is_dir() && file.starts_with(&root)) || !directory.is_dir() {
            return Ok(());
        }
        if self.outside.insert(directory.to_owned()) {
            self.watcher.watch(directory, RecursiveMode::NonRecursive)?;
        }
        Ok(())
    }

    /// Verifies the classes that changed, and runs the tests that read what changed.
    fn check(&mut self, changed: &Changed, console: &mut Console) -> Result<(), Failure> {
        for class in self.classes().iter().filter(|class| changed.has(class)) {
            verify::with_warnings(class, console)?;
        }
        let mut tally = Tally::default();
        let TestFiles { files, unreadable } = self.test_files();
        for (path, error) in &unreadable {
            if changed.has(path) {
                let title = format!("cannot read {}: {error}", printable_path(path));
                console.notice(&sentence(&title, &[]))?;
            }
        }
        for test in files {
            if !self.is_concerned(&test, changed) {
                continue;
            }
            let judged = golden::judge(&test, None, None);
            let inputs = (!judged.has_failed()).then(|| judged.inputs().to_vec());
            for file in judged.inputs() {
                // A directory that cannot be watched is one whose changes are not seen; the test runs all the same.
                let _is_watched = self.watch_beside(file);
            }
            self.tests.insert(test.path.clone(), inputs);
            tally.take(&test, judged, false, console)?;
        }
        if !tally.is_empty() {
            console.remark(&tally.total("passed"))?;
        }
        Ok(())
    }

    fn is_concerned(&self, test: &TestFile, changed: &Changed) -> bool {
        match self.tests.get(&test.path) {
            None | Some(None) => true,
            Some(Some(inputs)) => inputs.iter().any(|input| changed.has(input)),
        }
    }

    fn is_class(&self) -> bool {
        let extension = self.root.extension();
        extension.is_some_and(|extension| extension == "class") && !self.root.is_dir()
    }

    fn classes(&self) -> Vec<PathBuf> {
        match self.root.is_dir() || self.is_class() {
            true => verify::class_files(self.root),
            false => Vec::new(),
        }
    }

    fn test_files(&self) -> TestFiles {
        match self.is_class() {
            true => TestFiles::default(),
            false => TestFiles::below(self.root, None),
        }
    }
}
