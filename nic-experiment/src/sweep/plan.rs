//! The plan of a sweep: the scenario, its axes and seeds, and what is collected.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use jive_embed::diagnosis::sentence;
use jive_embed::input;
use jive_embed::text::printable_path;
use nic_runtime::scenario::{self, Directory, Files, Settable, limits, parse_from};
use nic_runtime::spec::Scenario;
use sha2::{Digest, Sha256};
use toml::{Table, Value};

use super::columns;
use super::metric::Metric;
use super::pack::{pack, unpack};
use super::values::values;
use crate::kept::Kept;
use crate::scenario_report;

/// What is collected unless the plan says otherwise.
const COLLECTED: [&str; 3] = ["goodput", "latency.mean", "latency.p99"];

/// The name of the packed plan in a directory of parts.
pub const PLAN_NAME: &str = "plan.pack";

/// Longest packed plan that is read.
const PACK_BYTES_MAX: u64 = 1 << 32;

/// A part of a sweep: the runs whose number has this remainder.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The number of the part, from 1.
    number: u64,
    /// How many parts there are.
    of: u64,
}

impl Shard {
    /// The part that is all.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// Returns the part with a number from 1 on, or `None` if there is none.
    #[must_use]
    pub fn new(number: u64, of: u64) -> Option<Shard> {
        (1..=of).contains(&number).then_some(Shard { number, of })
    }

    /// Returns the number of the part, from 1, and how many parts there are.
    #[must_use]
    pub fn parts(self) -> (u64, u64) {
        (self.number, self.of)
    }

    /// Returns the numbers of the part's runs.
    pub fn runs(self, of_plan: u64) -> impl Iterator<Item = u64> {
        // A step beyond the plan's runs leaves one run, whatever the step is.
        let step = usize::try_from(self.of).unwrap_or(usize::MAX);
        (self.number - 1..of_plan).step_by(step)
    }

    /// Returns whether a run belongs to the part.
    #[must_use]
    pub fn has(self, run: u64) -> bool {
        run % self.of == self.number - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let read = || {
            let (number, of) = text.split_once('/')?;
            Shard::new(number.parse().ok()?, of.parse().ok()?)
        };
        read().ok_or_else(|| format!("expected a part such as 3/50, from 1 on, found {text:?}"))
    }
}

/// Keys that are set to one value each, at the same time.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The places of the keys.
    pub places: Vec<String>,
    /// The values of each key, as TOML writes them.
    pub values: Vec<Vec<String>>,
}

impl Axis {
    /// Finds a point of the axis that is there twice. A key that changes together with others may have a value again.
    fn check(&self) -> Result<(), String> {
        let point = |at: usize| self.values.iter().map(move |values| &values[at]);
        for at in 0..self.values[0].len() {
            if (0..at).any(|before| point(before).eq(point(at))) {
                let (key, value) = (&self.places[0], &self.values[0][at]);
                return Err(format!(
                    "axis `{key}`: expected each value once, found {value} twice"
                ));
            }
        }
        Ok(())
    }
}

/// A plan whose scenario can be read with each value of each axis.
#[derive(Clone, Debug)]
pub struct Plan {
    base: Settable,
    /// The section `[sweep]`, without the name of the scenario.
    sweep: Table,
    files: Arc<Kept>,
    /// The plan and its scenario, as paths; empty if the plan was unpacked.
    given: Vec<PathBuf>,
    /// The first seed; each point has the same seeds.
    seed: u64,
    seeds: u64,
    axes: Vec<Axis>,
    collect: Vec<Metric>,
    digest: String,
}

impl Plan {
    /// Reads the plan of a file.
    ///
    /// # Errors
    ///
    /// Returns the message for the user.
    pub fn read(path: &Path) -> Result<Plan, String> {
        let bytes = input::read_given(path, limits::FILE_BYTES_MAX);
        let bytes = bytes.map_err(|error| unreadable(path, error))?;
        Plan::of_text(&bytes, path)
    }

    /// Reads a plan. File names in it are relative to the directory of `path`, which messages name.
    ///
    /// # Errors
    ///
    /// Returns the message for the user.
    pub fn of_text(bytes: &[u8], path: &Path) -> Result<Plan, String> {
        let said = |title: String| said_of(path, &title);
        let mut base = Settable::new(bytes).map_err(|error| said(error.to_string()))?;
        let Some(Value::Table(mut sweep)) = base.take("sweep") else {
            return Err(said("expected a section `[sweep]`".to_owned()));
        };
        let mut file = path.to_owned();
        if let Some(of) = take(&mut sweep, "scenario", text_of).map_err(said)? {
            if !base.text().trim().is_empty() {
                let title = "expected only `[sweep]` in a plan that names its scenario";
                return Err(said(title.to_owned()));
            }
            file = path.parent().unwrap_or(Path::new("")).join(&of);
            let bytes = match (file.exists(), scenario::builtin(&of)) {
                (false, Some(builtin)) => Ok(builtin.text.as_bytes().to_vec()),
                _ => input::read_file(&file, limits::FILE_BYTES_MAX),
            };
            let bytes = bytes.map_err(|error| unreadable(&file, error))?;
            base = Settable::new(&bytes).map_err(|error| said_of(&file, &error.to_string()))?;
            // A scenario with a plan of its own may be swept by another one.
            _ = base.take("sweep");
        }
        let directory = file.parent().unwrap_or(Path::new("")).to_owned();
        let mut plan = Plan::new(base, sweep, Arc::new(Directory(directory)), (path, &file))?;
        plan.given = vec![path.to_owned(), file];
        Ok(plan)
    }

    /// Returns the plan as bytes, with all files that its runs need.
    ///
    /// # Errors
    ///
    /// Returns the message for the user if a file is too long to be taken along.
    pub fn pack(&self) -> Result<Vec<u8>, String> {
        let files = self.files.taken().map_err(|name| {
            let title = format!("expected files of less than 256 MiB, found `{name}`");
            sentence(&title, &[])
        })?;
        let mut text = Table::new();
        text.insert("sweep".to_owned(), Value::Table(self.sweep.clone()));
        // The section is last, since the scenario's own keys stand before all sections.
        Ok(pack(&(self.base.text() + "\n" + &text.to_string()), &files))
    }

    /// Reads the plan that the parts in a directory belong to.
    ///
    /// # Errors
    ///
    /// Returns the message for the user.
    pub fn of_directory(directory: &Path) -> Result<Plan, String> {
        let path = directory.join(PLAN_NAME);
        let bytes = input::read_file(&path, PACK_BYTES_MAX);
        let bytes = bytes.map_err(|error| unreadable(&path, error))?;
        Plan::unpack_from(&bytes, &path)
    }

    /// Reads a plan that [`pack`](Plan::pack) returned.
    ///
    /// # Errors
    ///
    /// Returns the message for the user.
    pub fn unpack(bytes: &[u8]) -> Result<Plan, String> {
        Plan::unpack_from(bytes, Path::new("the packed plan"))
    }

    fn unpack_from(bytes: &[u8], path: &Path) -> Result<Plan, String> {
        let none = || said_of(path, "expected a plan with its files");
        let (text, files) = unpack(bytes).ok_or_else(none)?;
        let base = Settable::new(text.as_bytes());
        let mut base = base.map_err(|error| said_of(path, &error.to_string()))?;
        let Some(Value::Table(sweep)) = base.take("sweep") else {
            return Err(none());
        };
        Plan::new(base, sweep, Arc::new(files), (path, path))
    }

    fn new(
        base: Settable,
        section: Table,
        files: Arc<dyn Files>,
        (path, file): (&Path, &Path),
    ) -> Result<Plan, String> {
        let said = |title: String| said_of(path, &title);
        let files = Arc::new(Kept::new(files));
        let text = base.text();
        let whole = parse_from(text.as_bytes(), Arc::clone(&files) as _, None);
        let whole = whole
            .map_err(|error| scenario_report::render(file, text.as_bytes(), &error).join("\n\n"))?;
        let mut sweep = section.clone();
        let seeds = take(&mut sweep, "seeds", count_of).map_err(said)?;
        let axes = axes(&mut sweep).map_err(said)?;
        let collect = take(&mut sweep, "collect", texts_of).map_err(said)?;
        let collect = collect.unwrap_or_else(|| COLLECTED.map(str::to_owned).to_vec());
        let collect = collect.iter().map(|name| Metric::named(name, &whole));
        let collect = collect.collect::<Result<Vec<_>, _>>().map_err(said)?;
        if let Some(key) = sweep.keys().next() {
            let known = "`scenario`, `axes`, `zip`, `seeds` and `collect`";
            return Err(said(format!(
                "expected the keys {known} of `[sweep]`, found `{key}`"
            )));
        }
        let mut plan = Plan {
            base,
            sweep: section,
            files,
            given: Vec::new(),
            seed: whole.seed,
            seeds: seeds.unwrap_or(1),
            axes,
            collect,
            digest: String::new(),
        };
        columns::check(&plan).map_err(said)?;
        let counted = plan.lengths().try_fold(plan.seeds, u64::checked_mul);
        if counted.is_none() {
            return Err(said("expected fewer than 2^64 runs".to_owned()));
        }
        plan.check().map_err(said)?;
        plan.check_keys().map_err(said)?;
        plan.digest = plan.digest_of_all();
        Ok(plan)
    }

    /// Finds two axes of which one sets what the other sets: the same key under another name, or a table around it.
    fn check_keys(&self) -> Result<(), String> {
        let keys: Vec<&str> = self.keys().collect();
        for (number, key) in keys.iter().enumerate() {
            for other in &keys[..number] {
                let [one, two] = [[key, other], [other, key]].map(|keys| self.with_marks(&keys));
                if one.is_none() || one != two {
                    let title = "expected axes that do not overlap, found";
                    return Err(format!("{title} `{other}` and `{key}`"));
                }
            }
        }
        Ok(())
    }

    /// Returns the scenario in which each key has its own name as its value, set in this order; `None` if one leaves no
    /// place for another.
    fn with_marks(&self, keys: &[&&str]) -> Option<Table> {
        let mut text = self.base.clone();
        for key in keys {
            text.set(key, &Value::String((**key).to_owned()).to_string())
                .ok()?;
        }
        text.text().parse().ok()
    }

    /// Reads the scenario with each value of each axis, so that a mistake is found before anything runs.
    fn check(&self) -> Result<(), String> {
        for (number, axis) in self.axes.iter().enumerate() {
            for value in 0..axis.values[0].len() {
                let at = |other: usize| if other == number { value } else { 0 };
                let places: Vec<usize> = (0..self.axes.len()).map(at).collect();
                self.scenario_at(&places, self.seed).map_err(|error| {
                    let shown = &axis.places[0];
                    format!("with {shown} = {}: {error}", axis.values[0][value])
                })?;
            }
        }
        Ok(())
    }

    /// Returns the digest, when the scenario was read with each value of each axis and with it every file.
    fn digest_of_all(&self) -> String {
        let mut digest = Sha256::new();
        digest.update(env!("CARGO_PKG_VERSION"));
        digest.update(self.base.text());
        self.files.add_to(&mut digest);
        let metrics = self.collect.iter().map(|metric| metric.name.as_str());
        let metrics: Vec<&str> = metrics.collect();
        let Plan {
            axes, seed, seeds, ..
        } = self;
        digest.update(format!("{axes:?}{metrics:?}{seed} {seeds}"));
        let bytes = digest.finalize();
        let digits = bytes.iter().take(16).map(|byte| format!("{byte:02x}"));
        digits.collect()
    }

    /// Returns how many values each axis has.
    fn lengths(&self) -> impl Iterator<Item = u64> {
        self.axes.iter().map(|axis| axis.values[0].len() as u64)
    }

    /// Returns the files that were read: the plan, its scenario, and those that they name.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = self.given.clone();
        if !files.is_empty() {
            files.extend(self.files.paths());
        }
        files
    }

    /// Returns the number of points.
    #[must_use]
    pub fn points(&self) -> u64 {
        self.lengths().product()
    }

    /// Returns the number of runs.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.points() * self.seeds
    }

    /// Returns the number of runs of each point.
    #[must_use]
    pub fn seeds(&self) -> u64 {
        self.seeds
    }

    /// Returns the axes.
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Returns what is collected of each run.
    #[must_use]
    pub fn collect(&self) -> &[Metric] {
        &self.collect
    }

    /// Returns the digest of all that the rows depend on.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the position on each axis of a point, of which the last axis changes fastest.
    fn places(&self, point: u64) -> Vec<usize> {
        let mut rest = point;
        let places = self.axes.iter().rev().map(|axis| {
            let length = axis.values[0].len() as u64;
            let place = rest % length;
            rest /= length;
            usize::try_from(place).unwrap_or(0)
        });
        let mut places: Vec<usize> = places.collect();
        places.reverse();
        places
    }

    /// Returns the values of the keys at a point, as TOML writes them, with their places.
    #[must_use]
    pub fn values(&self, point: u64) -> Vec<(&str, &str)> {
        let places = self.places(point);
        let axes = self.axes.iter().zip(places);
        let values = axes.flat_map(|(axis, place)| {
            let keys = axis.places.iter().zip(&axis.values);
            keys.map(move |(key, values)| (key.as_str(), values[place].as_str()))
        });
        values.collect()
    }

    /// Returns the places of all keys that the plan sets.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.axes
            .iter()
            .flat_map(|axis| axis.places.iter().map(String::as_str))
    }

    /// Returns the seed of a run of each point.
    #[must_use]
    pub fn seed(&self, run: u64) -> u64 {
        self.seed.wrapping_add(run % self.seeds)
    }

    /// Returns the scenario of a run.
    ///
    /// # Errors
    ///
    /// Returns why there is no such scenario, if values of several axes do not fit together.
    pub fn scenario(&self, run: u64) -> Result<Scenario, String> {
        self.scenario_at(&self.places(run / self.seeds), self.seed(run))
    }

    fn scenario_at(&self, places: &[usize], seed: u64) -> Result<Scenario, String> {
        let mut text = self.base.clone();
        for (axis, place) in self.axes.iter().zip(places) {
            for (key, values) in axis.places.iter().zip(&axis.values) {
                text.set(key, &values[*place])
                    .map_err(|error| error.to_string())?;
            }
        }
        let files = Arc::clone(&self.files);
        let scenario = parse_from(text.text().as_bytes(), files, Some(seed));
        scenario.map_err(|error| error.to_string())
    }
}

fn said_of(path: &Path, title: &str) -> String {
    sentence(&format!("{}: {title}", printable_path(path)), &[])
}

fn unreadable(path: &Path, error: input::ReadError) -> String {
    let title = format!("cannot read {}: {error}", printable_path(path));
    sentence(&title, &[])
}

/// Takes a key out of a table, and reads it.
fn take<T>(
    table: &mut Table,
    key: &str,
    read: impl FnOnce(Value) -> Option<T>,
) -> Result<Option<T>, String> {
    let Some(value) = table.remove(key) else {
        return Ok(None);
    };
    let shown = value.to_string();
    match read(value) {
        Some(read) => Ok(Some(read)),
        None => Err(format!("expected another value of `{key}`, found {shown}")),
    }
}

fn text_of(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn texts_of(value: Value) -> Option<Vec<String>> {
    let Value::Array(list) = value else {
        return None;
    };
    let texts: Option<Vec<String>> = list.into_iter().map(text_of).collect();
    texts.filter(|texts| !texts.is_empty())
}

fn count_of(value: Value) -> Option<u64> {
    let count = value.as_integer()?;
    u64::try_from(count).ok().filter(|count| *count > 0)
}

/// Reads the axes. Those that a list of `zip` names change together.
fn axes(sweep: &mut Table) -> Result<Vec<Axis>, String> {
    let given = take(sweep, "axes", |value| match value {
        Value::Table(table) => Some(table),
        _ => None,
    })?;
    let zip = take(sweep, "zip", |value| match value {
        Value::Array(lists) => lists.into_iter().map(texts_of).collect::<Option<Vec<_>>>(),
        _ => None,
    })?;
    let mut axes: Vec<Axis> = Vec::new();
    for (place, value) in given.unwrap_or_default() {
        let values = values(&value).map_err(|what| format!("axis `{place}`: {what}"))?;
        axes.push(Axis {
            places: vec![place],
            values: vec![values],
        });
    }
    for names in zip.unwrap_or_default() {
        let mut joined: Option<Axis> = None;
        for name in &names {
            let found = axes.iter().position(|axis| axis.places == [name.clone()]);
            let found =
                found.ok_or_else(|| format!("expected an axis in `zip`, found `{name}`"))?;
            let axis = axes.remove(found);
            match &mut joined {
                None => joined = Some(axis),
                Some(joined) if joined.values[0].len() == axis.values[0].len() => {
                    joined.places.extend(axis.places);
                    joined.values.extend(axis.values);
                }
                Some(joined) => {
                    let (one, other) = (joined.values[0].len(), axis.values[0].len());
                    return Err(format!(
                        "expected as many values of `{name}` as of `{}`: {one}, found {other}",
                        joined.places[0]
                    ));
                }
            }
        }
        axes.extend(joined);
    }
    axes.iter().try_for_each(Axis::check)?;
    Ok(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_from_one() {
        assert_eq!("3/50".parse(), Ok(Shard { number: 3, of: 50 }));
        let parts = (1..=3).map(|number| Shard::new(number, 3).expect("it is one"));
        let runs = parts.map(|part| part.runs(7).collect::<Vec<_>>());
        assert_eq!(
            runs.collect::<Vec<_>>(),
            [vec![0, 3, 6], vec![1, 4], vec![2, 5]]
        );
        for wrong in ["", "3", "0/5", "6/5", "1/0", "a/b", "-1/5"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
