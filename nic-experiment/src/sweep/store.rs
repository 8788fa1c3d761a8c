//! The rows of a sweep in files: kept as they are made, so that an interrupted sweep goes on, and put in place once they
//! are complete.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jive_embed::diagnosis::sentence;
use jive_embed::text::printable_path;
use serde::{Deserialize, Serialize};

use super::plan::{PLAN_NAME, Plan, Shard};
use super::row::Row;
use super::table::Table;
use crate::output_file::{self, OutputFile};

/// The version of the form of parts.
const VERSION: u32 = 1;

/// Longest line that is read: a row is far shorter.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// The first line of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    sweep: u32,
    jive: String,
    digest: String,
    runs: u64,
    part: Option<(u64, u64)>,
}

impl Head {
    fn of(plan: &Plan, shard: Shard) -> Head {
        Head {
            sweep: VERSION,
            jive: env!("CARGO_PKG_VERSION").to_owned(),
            digest: plan.digest().to_owned(),
            runs: plan.runs(),
            part: (shard != Shard::WHOLE).then(|| shard.parts()),
        }
    }

    /// Returns the line of a part with these rows.
    fn line(&self) -> String {
        json(self) + "\n"
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("its keys are texts")
}

/// Where a sweep keeps its rows.
pub struct Store<'p> {
    plan: &'p Plan,
    shard: Shard,
    rows: BTreeMap<u64, Row>,
    journal: Option<Journal>,
    /// The file that the complete rows become, and its form.
    out: Option<(PathBuf, Form)>,
}

/// The form of a file of complete rows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Form {
    /// A part of a sweep, which is put together with others.
    Part,
    Csv,
    JsonLines,
}

/// The file in which rows are kept as they are made.
struct Journal {
    file: File,
    path: PathBuf,
}

/// Why the rows of a file were not read to its end.
enum Broken {
    /// The first line is no head of rows.
    NoRows,
    /// The rows are those of another plan.
    OtherPlan,
}

fn failed(what: &str, path: &Path, error: &dyn Display) -> String {
    sentence(
        &format!("cannot {what} {}: {error}", printable_path(path)),
        &[],
    )
}

fn broken(path: &Path, why: &Broken, notes: &[String]) -> String {
    let shown = printable_path(path);
    let title = match why {
        Broken::NoRows => format!("expected rows of a sweep in {shown}"),
        Broken::OtherPlan => format!("{shown} has rows of another plan"),
    };
    sentence(&title, notes)
}

impl<'p> Store<'p> {
    fn new(plan: &'p Plan, shard: Shard, out: Option<(PathBuf, Form)>) -> Store<'p> {
        Store {
            plan,
            shard,
            rows: BTreeMap::new(),
            journal: None,
            out,
        }
    }

    /// Keeps the rows of a part in memory alone.
    #[must_use]
    pub fn in_memory(plan: &'p Plan, shard: Shard) -> Store<'p> {
        Store::new(plan, shard, None)
    }

    /// Keeps the rows beside a file that they become: CSV if its name ends so, and otherwise JSON Lines.
    ///
    /// # Errors
    ///
    /// Returns the message for the user if another process writes the file, it cannot be written, or what an interrupted
    /// sweep left beside it is of another plan.
    pub fn of_file(plan: &'p Plan, out: &Path) -> Result<Store<'p>, String> {
        let mut store = Store::new(plan, Shard::WHOLE, Some((out.to_owned(), Form::of(out))));
        store.open(&journal_of(out))?;
        Ok(store)
    }

    /// Keeps the rows of a part in a directory. A part that is complete is not run again.
    ///
    /// # Errors
    ///
    /// Returns the message for the user as [`of_file`](Store::of_file) does, and if the part is one of another plan.
    pub fn of_shard(plan: &'p Plan, shard: Shard, directory: &Path) -> Result<Store<'p>, String> {
        fs::create_dir_all(directory).map_err(|error| failed("make", directory, &error))?;
        keep_plan(plan, &directory.join(PLAN_NAME))?;
        let (number, of) = shard.parts();
        let out = directory.join(format!("part-{number}-of-{of}.jsonl"));
        let mut store = Store::new(plan, shard, Some((out.clone(), Form::Part)));
        if out.exists() {
            store.read_file(&out)?;
            if store.is_complete() {
                store.out = None;
                return Ok(store);
            }
        }
        store.open(&directory.join(format!("part-{number}-of-{of}.part")))?;
        Ok(store)
    }

    /// Puts the parts of a directory together, and then into a file, if there is one to write.
    ///
    /// # Errors
    ///
    /// Returns the message for the user if a part cannot be read, is of another plan, or is missing.
    pub fn join(plan: &'p Plan, directory: &Path, out: Option<&Path>) -> Result<Store<'p>, String> {
        let out = out.map(|out| (out.to_owned(), Form::of(out)));
        let mut store = Store::new(plan, Shard::WHOLE, out);
        let unreadable = |error: io::Error| failed("read", directory, &error);
        let mut paths = Vec::new();
        for entry in fs::read_dir(directory).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension() == Some(OsStr::new("jsonl")) {
                paths.push(path);
            }
        }
        paths.sort();
        for path in &paths {
            store.read_file(path)?;
        }
        store.check_complete(&printable_path(directory))?;
        Ok(store)
    }

    /// Puts parts together that [`part`](Store::part) returned.
    ///
    /// # Errors
    ///
    /// Returns the message for the user if a part is of another plan or missing.
    pub fn of_parts(plan: &'p Plan, parts: &[impl AsRef<[u8]>]) -> Result<Store<'p>, String> {
        let mut store = Store::new(plan, Shard::WHOLE, None);
        for (number, part) in parts.iter().enumerate() {
            let name = PathBuf::from(format!("part {}", number + 1));
            let read = store.read(Cursor::new(part.as_ref()));
            let read = read.map_err(|error| failed("read", &name, &error))?;
            read.map_err(|why| broken(&name, &why, &[]))?;
        }
        store.check_complete("the list of parts")?;
        Ok(store)
    }

    fn check_complete(&self, what: &str) -> Result<(), String> {
        let mut missing = self.missing();
        let Some(first) = missing.next() else {
            return Ok(());
        };
        let (missing, runs) = (missing.count() + 1, self.plan.runs());
        let title =
            format!("{what} lacks {missing} of {runs} runs, the first of which is run {first}");
        Err(sentence(&title, &[]))
    }

    /// Opens the file in which rows are kept as they are made, with what an interrupted sweep left there.
    fn open(&mut self, path: &Path) -> Result<(), String> {
        let unwritable = |error: io::Error| output_file::unwritable(path, &error);
        let mut file = output_file::journal(path).map_err(unwritable)?;
        if !output_file::is_ours(&file) {
            let title = format!("another process writes {}", printable_path(path));
            return Err(sentence(&title, &[]));
        }
        let head = Head::of(self.plan, self.shard).line();
        let mut begin = Vec::new();
        let length = head.len() as u64;
        let read = (&mut file).take(length).read_to_end(&mut begin);
        read.and_then(|_| file.rewind()).map_err(unwritable)?;
        // A process that was killed at its start leaves the beginning of the first line.
        let whole = match head.as_bytes().starts_with(&begin) && begin.len() < head.len() {
            true => 0,
            false => {
                let copy = file.try_clone().map_err(unwritable)?;
                let read = self
                    .read(copy)
                    .map_err(|error| failed("read", path, &error))?;
                read.map_err(|why| {
                    let note = "an interrupted sweep left it; remove it to begin anew".to_owned();
                    broken(path, &why, &[note])
                })?
            }
        };
        // A line that was cut when the process was killed is written again.
        let begun = file.set_len(whole);
        let begun = begun.and_then(|()| file.seek(SeekFrom::Start(whole)));
        begun.map_err(unwritable)?;
        let path = path.to_owned();
        self.journal = Some(Journal { file, path });
        match whole {
            0 => self.write(&head),
            _ => Ok(()),
        }
    }

    fn read_file(&mut self, path: &Path) -> Result<(), String> {
        let unreadable = |error: io::Error| failed("read", path, &error);
        let read = self.read(File::open(path).map_err(unreadable)?);
        read.map_err(unreadable)?
            .map_err(|why| broken(path, &why, &[]))?;
        Ok(())
    }

    /// Reads rows, and returns the length of the whole lines. Reading ends at the first line that is no row of the plan.
    fn read(&mut self, from: impl Read) -> io::Result<Result<u64, Broken>> {
        let mut from = BufReader::new(from);
        let mut whole = 0;
        let own = Head::of(self.plan, self.shard);
        loop {
            let mut line = Vec::new();
            let mut bounded = (&mut from).take(LINE_BYTES_MAX);
            let length = bounded.read_until(b'\n', &mut line)? as u64;
            let is_whole = line.last() == Some(&b'\n');
            if whole == 0 {
                let Ok(head) = serde_json::from_slice::<Head>(&line) else {
                    return Ok(Err(Broken::NoRows));
                };
                if (head.sweep, head.digest, head.runs) != (own.sweep, own.digest.clone(), own.runs)
                {
                    return Ok(Err(Broken::OtherPlan));
                }
            } else {
                match serde_json::from_slice::<Row>(&line) {
                    Ok(row) if is_whole && row.fits(self.plan) => {
                        self.rows.insert(row.run, row);
                    }
                    _ => return Ok(Ok(whole)),
                }
            }
            whole += length;
        }
    }

    /// Returns the numbers of the runs that have no row.
    pub fn missing(&self) -> impl Iterator<Item = u64> {
        let runs = self.shard.runs(self.plan.runs());
        runs.filter(|run| !self.rows.contains_key(run))
    }

    /// Returns how many rows there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Returns whether every run has its row.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missing().next().is_none()
    }

    /// Keeps a row.
    ///
    /// # Errors
    ///
    /// Returns the message for the user if the row cannot be written.
    pub fn add(&mut self, row: Row) -> Result<(), String> {
        if self.journal.is_some() {
            self.write(&(json(&row) + "\n"))?;
        }
        self.rows.insert(row.run, row);
        Ok(())
    }

    fn write(&mut self, line: &str) -> Result<(), String> {
        let Some(Journal { file, path }) = &mut self.journal else {
            return Ok(());
        };
        // One call, so that a process that is killed leaves whole lines as far as possible.
        let written = file.write_all(line.as_bytes());
        written.map_err(|error| output_file::unwritable(path, &error))
    }

    /// Returns the rows of a part as its file has them.
    #[must_use]
    pub fn part(&self) -> String {
        let mut text = Head::of(self.plan, self.shard).line();
        for row in self.rows.values() {
            text += &json(row);
            text.push('\n');
        }
        text
    }

    /// Puts the complete rows in place, and returns them in the order of the runs.
    ///
    /// # Errors
    ///
    /// Returns the message for the user if the file cannot be written. What was kept of the runs then stays.
    pub fn finish(mut self) -> Result<Table<'p>, String> {
        let part = matches!(self.out, Some((_, Form::Part))).then(|| self.part());
        let table = Table::new(self.plan, self.rows.into_values().collect());
        if let Some((out, form)) = self.out.take() {
            let text = match form {
                Form::Part => part.unwrap_or_default(),
                Form::Csv => table.csv(),
                Form::JsonLines => table.json_lines(),
            };
            let file = match form {
                Form::Part => OutputFile::derived(&out),
                Form::Csv | Form::JsonLines => OutputFile::named(&out),
            };
            let placed = file.and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.place()
            });
            placed.map_err(|error| output_file::unwritable(&out, &error))?;
        }
        if let Some(Journal { path, .. }) = self.journal {
            match fs::remove_file(&path) {
                // Another process finished the same rows a moment ago.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed.map_err(|error| failed("remove", &path, &error))?,
            }
        }
        Ok(table)
    }
}

/// Returns the file in which the rows of a file are kept as they are made.
#[must_use]
pub fn journal_of(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    out.with_file_name(name)
}

/// Puts a plan into the directory of its parts, so that they can be joined without it. A plan with files that are too
/// long to be taken along is not put there.
fn keep_plan(plan: &Plan, path: &Path) -> Result<(), String> {
    if path.exists() {
        return match Plan::of_directory(path.parent().unwrap_or(Path::new("")))?.digest() {
            found if found == plan.digest() => Ok(()),
            _ => {
                let title = format!("{} is another plan", printable_path(path));
                Err(sentence(&title, &[]))
            }
        };
    }
    let Ok(packed) = plan.pack() else {
        return Ok(());
    };
    let kept = output_file::write_derived(path, packed);
    kept.map_err(|error| output_file::unwritable(path, &error))
}

impl Form {
    fn of(out: &Path) -> Form {
        match out.extension() == Some(OsStr::new("csv")) {
            true => Form::Csv,
            false => Form::JsonLines,
        }
    }
}
