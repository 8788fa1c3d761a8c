//! The rows of a sweep in files: kept as they are made, so that an interrupted sweep goes on, and put in place once they
//! are complete.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use jive_embed::text::printable_path;
use serde::{Deserialize, Serialize};

use super::plan::{Plan, Shard};
use super::row::Row;
use crate::cli::output_file::{OutputFile, journal};

/// The version of the rows.
const VERSION: u32 = 1;

/// Longest line that is read: a row is far shorter.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// The first line of a file of rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    sweep: u32,
    jive: String,
    digest: String,
    runs: u64,
    part: Option<(u64, u64)>,
}

/// Where a sweep keeps its rows.
pub(super) struct Store {
    head: Head,
    /// The names of the columns with values, and of those with metrics.
    columns: [Vec<String>; 2],
    /// The numbers of the runs that belong here: the remainder, and the divisor.
    part: (u64, u64),
    rows: BTreeMap<u64, Row>,
    journal: Option<(File, PathBuf)>,
    /// The file that the complete rows become.
    out: Option<PathBuf>,
}

fn head(plan: &Plan, shard: Option<Shard>) -> Head {
    Head {
        sweep: VERSION,
        jive: env!("CARGO_PKG_VERSION").to_owned(),
        digest: plan.digest.clone(),
        runs: plan.runs(),
        part: shard.map(|shard| (shard.number, shard.of)),
    }
}

fn failed(what: &str, path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("cannot {what} {}: {error}", printable_path(path))
}

impl Store {
    fn new(plan: &Plan, shard: Option<Shard>, out: Option<PathBuf>) -> Store {
        Store {
            head: head(plan, shard),
            columns: [
                plan.keys().map(str::to_owned).collect(),
                plan.collect
                    .iter()
                    .map(|metric| metric.name.clone())
                    .collect(),
            ],
            part: shard.map_or((0, 1), |shard| (shard.number - 1, shard.of)),
            rows: BTreeMap::new(),
            journal: None,
            out,
        }
    }

    /// Keeps the rows in memory alone.
    pub(super) fn in_memory(plan: &Plan) -> Store {
        Store::new(plan, None, None)
    }

    /// Keeps the rows beside a file that they become.
    pub(super) fn of_file(plan: &Plan, out: &Path) -> Result<Store, String> {
        let mut store = Store::new(plan, None, Some(out.to_owned()));
        let mut name = out.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        store.open(&out.with_file_name(name))?;
        Ok(store)
    }

    /// Keeps the rows of a part in a directory. A part that is complete is not run again.
    pub(super) fn of_shard(plan: &Plan, shard: Shard, directory: &Path) -> Result<Store, String> {
        fs::create_dir_all(directory).map_err(|error| failed("make", directory, &error))?;
        let Shard { number, of } = shard;
        let out = directory.join(format!("part-{number}-of-{of}.jsonl"));
        let mut store = Store::new(plan, Some(shard), Some(out.clone()));
        if out.exists() {
            let file = File::open(&out).map_err(|error| failed("read", &out, &error))?;
            store.read(file, &out)?;
            if store.missing().is_empty() {
                store.out = None;
                return Ok(store);
            }
        }
        store.open(&directory.join(format!("part-{number}-of-{of}.part")))?;
        Ok(store)
    }

    /// Puts the parts of a directory together.
    pub(super) fn join(plan: &Plan, directory: &Path, out: Option<&Path>) -> Result<Store, String> {
        let mut store = Store::new(plan, None, out.map(Path::to_owned));
        let entries = fs::read_dir(directory).map_err(|error| failed("read", directory, &error))?;
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry
                .map_err(|error| failed("read", directory, &error))?
                .path();
            if path
                .extension()
                .is_some_and(|extension| extension == "jsonl")
            {
                paths.push(path);
            }
        }
        paths.sort();
        for path in &paths {
            let file = File::open(path).map_err(|error| failed("read", path, &error))?;
            store.read(file, path)?;
        }
        let missing = store.missing();
        if let Some(first) = missing.first() {
            return Err(format!(
                "{} lacks {} of {} runs, the first of which is run {first}",
                printable_path(directory),
                missing.len(),
                plan.runs()
            ));
        }
        Ok(store)
    }

    /// Opens the file in which rows are kept as they are made, with what an interrupted sweep left there.
    fn open(&mut self, path: &Path) -> Result<(), String> {
        let mut file = journal(path).map_err(|error| failed("write", path, &error))?;
        #[cfg(unix)]
        if rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_err() {
            return Err(format!("another process writes {}", printable_path(path)));
        }
        let copy = file
            .try_clone()
            .map_err(|error| failed("read", path, &error))?;
        // What another plan left there is of no use to this one.
        let whole = self.read(copy, path).unwrap_or(0);
        if whole == 0 {
            self.rows.clear();
        }
        // A line that was cut when the process was killed is written again.
        let begin = file
            .set_len(whole)
            .and_then(|()| file.seek(std::io::SeekFrom::Start(whole)));
        begin.map_err(|error| failed("write", path, &error))?;
        self.journal = Some((file, path.to_owned()));
        if whole == 0 {
            let head =
                serde_json::to_string(&self.head).map_err(|error| failed("write", path, &error))?;
            self.line(&head)?;
        }
        Ok(())
    }

    /// Reads the rows of a file, and returns the length of its whole lines.
    fn read(&mut self, file: File, path: &Path) -> Result<u64, String> {
        let mut file = BufReader::new(file);
        let mut whole = 0;
        let mut head = None::<Head>;
        loop {
            let mut line = Vec::new();
            let read = (&mut file)
                .take(LINE_BYTES_MAX)
                .read_until(b'\n', &mut line);
            let length = read.map_err(|error| failed("read", path, &error))? as u64;
            if line.last() != Some(&b'\n') {
                break;
            }
            match &head {
                None => {
                    let found: Head = serde_json::from_slice(&line).map_err(|_| {
                        format!("expected rows of a sweep in {}", printable_path(path))
                    })?;
                    let of = |head: &Head| (head.sweep, head.digest.clone(), head.runs);
                    if of(&found) != of(&self.head) {
                        return Err(format!("{} has rows of another plan", printable_path(path)));
                    }
                    head = Some(found);
                }
                Some(_) => {
                    let Ok(row) = serde_json::from_slice::<Row>(&line) else {
                        break;
                    };
                    self.rows.insert(row.run, row);
                }
            }
            whole += length;
        }
        Ok(whole)
    }

    /// Returns the numbers of the runs that have no row.
    pub(super) fn missing(&self) -> Vec<u64> {
        let (first, step) = self.part;
        let step = usize::try_from(step).unwrap_or(usize::MAX);
        let runs = (first..self.head.runs).step_by(step);
        runs.filter(|run| !self.rows.contains_key(run)).collect()
    }

    /// Keeps a row.
    pub(super) fn add(&mut self, row: Row) -> Result<(), String> {
        if self.journal.is_some() {
            let line = serde_json::to_string(&row).map_err(|error| error.to_string())?;
            self.line(&line)?;
        }
        self.rows.insert(row.run, row);
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let Some((file, path)) = &mut self.journal else {
            return Ok(());
        };
        // One call, so that a process that is killed leaves whole lines as far as possible.
        let written = file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|error| failed("write", path, &error))
    }

    /// Puts the complete rows in place, in the order of the runs.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        let Some(out) = self.out.take() else {
            return Ok(());
        };
        let is_csv = out.extension().is_some_and(|extension| extension == "csv");
        let text = match is_csv {
            true => self.csv(),
            false => self.json_lines(),
        };
        let placed = OutputFile::named(&out).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.place()
        });
        placed.map_err(|error| failed("write", &out, &error))?;
        if let Some((_, path)) = self.journal.take() {
            fs::remove_file(&path).map_err(|error| failed("remove", &path, &error))?;
        }
        Ok(())
    }

    fn json_lines(&self) -> String {
        let head = serde_json::to_string(&self.head).unwrap_or_default();
        let rows = self
            .rows
            .values()
            .map(|row| serde_json::to_string(row).unwrap_or_default());
        let mut text = head + "\n";
        for row in rows {
            text += &row;
            text.push('\n');
        }
        text
    }

    fn csv(&self) -> String {
        let [keys, metrics] = &self.columns;
        let fixed = ["jive", "plan", "run", "seed"].map(str::to_owned);
        let last = ["ended", "cut", "error"].map(str::to_owned);
        let head = fixed.iter().chain(keys).chain(metrics).chain(&last);
        let mut text = line(head.map(String::as_str));
        for row in self.rows.values() {
            let fixed = [
                self.head.jive.clone(),
                self.head.digest.clone(),
                row.run.to_string(),
                row.seed.to_string(),
            ];
            let metrics = row
                .metrics
                .iter()
                .map(|metric| metric.map_or(String::new(), |it| it.to_string()));
            let last = [
                row.ended.clone().unwrap_or_default(),
                row.cut.to_string(),
                row.error.clone().unwrap_or_default(),
            ];
            let values = row
                .values
                .iter()
                .map(|value| value.trim_matches('"').to_owned());
            let fields: Vec<String> = fixed
                .into_iter()
                .chain(values)
                .chain(metrics)
                .chain(last)
                .collect();
            text += &line(fields.iter().map(String::as_str));
        }
        text
    }

    /// Returns the rows, in the order of the runs.
    pub(super) fn into_rows(self) -> Vec<Row> {
        self.rows.into_values().collect()
    }
}

/// Writes a line of CSV (RFC 4180).
fn line<'f>(fields: impl Iterator<Item = &'f str>) -> String {
    let fields = fields.map(|field| match field.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    });
    fields.collect::<Vec<_>>().join(",") + "\n"
}
