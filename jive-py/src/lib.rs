//! The compiled half of the Python package `jive`. Its Python half, `python/jive`, makes frames of what this returns.
//!
//! Everything that takes time runs without Python's lock, and ends early at Ctrl-C.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use jive_embed::{Asked, FoundAt, SourcePath, Verdict};
use jive_verifier::Policy;
use nic_core::sle::{NicEntry, NicNative};
use nic_experiment::experiment::Fault;
use nic_experiment::plain;
use nic_experiment::scenario_file::Blame;
use nic_runtime::export::plain_json;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(
    jive,
    Error,
    PyException,
    "What the command `jive` would refuse."
);
pyo3::create_exception!(
    jive,
    UnusableError,
    Error,
    "A file that cannot be read, or a scenario or plan with mistakes: exit status 2 of the command."
);
pyo3::create_exception!(
    jive,
    RejectedError,
    Error,
    "A rejected class, an expectation that is not met, a run that is stuck or has programs that gave up: exit status 1 of the \
     command."
);
pyo3::create_exception!(
    jive,
    CutError,
    Error,
    "A default cut off messages or programs of the run: exit status 4 of the command."
);

/// How often the signals of the process are looked at.
const PATIENCE: Duration = Duration::from_millis(100);

fn raised(fault: &Fault) -> PyErr {
    let message = plain(&fault.message);
    match fault.blame {
        Blame::Class => RejectedError::new_err(message),
        Blame::Scenario => UnusableError::new_err(message),
    }
}

fn unusable(message: &str) -> PyErr {
    UnusableError::new_err(plain(message))
}

/// Looks for Ctrl-C and calls back to Python while a run goes on without the lock.
struct Watch {
    looked: Cell<Instant>,
    error: RefCell<Option<PyErr>>,
}

impl Watch {
    fn new() -> Watch {
        Watch {
            looked: Cell::new(Instant::now()),
            error: RefCell::new(None),
        }
    }

    /// Returns whether Python wants the run to end. Python is asked by `call`, a few times a second.
    fn is_over(&self, is_last: bool, call: impl FnOnce(Python<'_>) -> PyResult<()>) -> bool {
        if is_last || self.looked.get().elapsed() >= PATIENCE {
            self.looked.set(Instant::now());
            let asked = Python::attach(|py| {
                py.check_signals()?;
                call(py)
            });
            if let Err(error) = asked {
                self.error.borrow_mut().get_or_insert(error);
            }
        }
        self.error.borrow().is_some()
    }

    /// Returns what a run gave, or what Python raised while it went on.
    fn given<T>(self, ran: T) -> PyResult<T> {
        match self.error.into_inner() {
            Some(error) => Err(error),
            None => Ok(ran),
        }
    }
}

/// Judges a class file. Returns the verdict as JSON and, if the class is rejected, the diagnoses as text.
fn judge(bytes: &[u8], name: &str, class_only: bool) -> (String, Option<String>) {
    let policy = match class_only {
        true => Policy::ClassOnly,
        false => Policy::Applet {
            entries: NicEntry::TABLE,
        },
    };
    let found = FoundAt {
        file: name.as_ref(),
        source_path: SourcePath::default(),
    };
    let asked = Asked {
        analysis: true,
        ..Asked::default()
    };
    let verdict = Verdict::of(found, bytes, (policy, NicNative::TABLE), asked);
    let mut json = Vec::new();
    plain_json::to_writer(&mut json, &verdict).expect("memory can be written");
    let shown = match &verdict {
        Verdict::Rejected(rejected) => Some(plain(&rejected.render())),
        Verdict::Accepted(_) | Verdict::Unreadable { .. } => None,
    };
    (String::from_utf8_lossy(&json).into_owned(), shown)
}

/// The compiled half of the package.
#[pymodule]
mod _jive {
    use std::num::NonZeroUsize;
    use std::path::PathBuf;

    use nic_experiment::experiment;
    use nic_experiment::plain;
    use nic_experiment::sweep::{self, Shard, Store, Swept, Wish};
    use nic_runtime::export::PayloadMode;
    use pyo3::prelude::*;
    use pyo3::types::PyBytes;

    #[pymodule_export]
    use super::{CutError, Error, RejectedError, UnusableError};
    use super::{Watch, judge, raised, unusable};

    /// The version of JIVE.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// A scenario that was read.
    #[pyclass(frozen, module = "jive._jive")]
    struct Experiment(experiment::Experiment);

    /// What a run gave.
    #[pyclass(frozen, get_all, module = "jive._jive")]
    struct Report {
        summary: String,
        ended: &'static str,
        traps: Vec<String>,
        stuck: Option<String>,
        gave_up: Option<String>,
        cut: Option<String>,
        unmet: Vec<String>,
    }

    #[pymethods]
    impl Experiment {
        /// Reads a scenario with these settings, each as `PLACE=VALUE`.
        #[new]
        #[pyo3(signature = (name, seed, settings))]
        fn read(
            py: Python<'_>,
            name: PathBuf,
            seed: Option<u64>,
            settings: Vec<String>,
        ) -> PyResult<Experiment> {
            let read = || experiment::Experiment::read(&name, (seed, &settings));
            match py.detach(read) {
                Ok(experiment) => Ok(Experiment(experiment)),
                Err(fault) => Err(raised(&fault)),
            }
        }

        /// Runs the scenario to its summary.
        fn run(&self, py: Python<'_>) -> PyResult<Report> {
            let (ran, watch) = py.detach(|| {
                let watch = Watch::new();
                let ran = self.0.run(&|| watch.is_over(false, |_| Ok(())));
                (ran, watch)
            });
            let report = watch.given(ran)?.map_err(|fault| raised(&fault))?;
            let texts = |texts: &[String]| texts.iter().map(|text| plain(text)).collect();
            Ok(Report {
                ended: report.reason.word(),
                traps: texts(&report.traps),
                stuck: report.stuck.as_deref().map(plain),
                gave_up: report.gave_up.as_deref().map(plain),
                cut: report.cut.as_deref().map(plain),
                unmet: texts(&report.unmet),
                summary: report.summary,
            })
        }

        /// Runs the scenario to its events, as JSON Lines behind a header.
        fn trace<'py>(&self, py: Python<'py>, payload: bool) -> PyResult<Bound<'py, PyBytes>> {
            let payload = match payload {
                true => PayloadMode::Shown,
                false => PayloadMode::Omitted,
            };
            let (ran, watch) = py.detach(|| {
                let watch = Watch::new();
                let ran = self.0.trace(payload, &|| watch.is_over(false, |_| Ok(())));
                (ran, watch)
            });
            let lines = watch.given(ran)?.map_err(|fault| raised(&fault))?;
            Ok(PyBytes::new(py, &lines))
        }
    }

    /// A plan of a sweep.
    #[pyclass(frozen, module = "jive._jive")]
    struct Plan(sweep::Plan);

    /// The rows of a sweep, and their means.
    #[pyclass(frozen, get_all, module = "jive._jive")]
    struct Table {
        csv: String,
        json_lines: String,
        means_csv: String,
        means_json_lines: String,
        means_text: String,
        failed: usize,
    }

    impl Table {
        fn of(table: &sweep::Table<'_>) -> Table {
            let means = table.means();
            Table {
                csv: table.csv(),
                json_lines: table.json_lines(),
                means_csv: means.csv(),
                means_json_lines: means.json_lines(),
                means_text: means.to_string(),
                failed: table.failed(),
            }
        }
    }

    impl Plan {
        /// Runs what is missing in a store. `progress` is called with the number of finished runs.
        fn complete(
            &self,
            store: &mut Store<'_>,
            jobs: Option<NonZeroUsize>,
            progress: Option<&Py<PyAny>>,
        ) -> PyResult<()> {
            let watch = Watch::new();
            let (before, total) = (store.count(), self.0.runs());
            let tell = |done: u64| {
                watch.is_over(done == total, |py| {
                    if let Some(progress) = progress {
                        progress.call1(py, (done, total))?;
                    }
                    Ok(())
                })
            };
            // What an earlier sweep has finished is told too.
            if before == total && tell(total) {
                return watch.given(());
            }
            let ran = sweep::run(&self.0, store, jobs, |done| match tell(before + done) {
                true => Wish::Stop,
                false => Wish::Continue,
            });
            match watch.given(ran)?.map_err(|message| unusable(&message))? {
                Swept::Whole | Swept::Interrupted => Ok(()),
            }
        }
    }

    #[pymethods]
    impl Plan {
        /// Reads the plan of a file.
        #[staticmethod]
        fn read(py: Python<'_>, path: PathBuf) -> PyResult<Plan> {
            let plan = py.detach(|| sweep::Plan::read(&path));
            plan.map(Plan).map_err(|message| unusable(&message))
        }

        /// Reads a plan whose files are beside `path`.
        #[staticmethod]
        fn of_text(py: Python<'_>, text: &str, path: PathBuf) -> PyResult<Plan> {
            let plan = py.detach(|| sweep::Plan::of_text(text.as_bytes(), &path));
            plan.map(Plan).map_err(|message| unusable(&message))
        }

        /// The plan with all files that its runs need.
        fn pack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
            let packed = py.detach(|| self.0.pack());
            let packed = packed.map_err(|message| unusable(&message))?;
            Ok(PyBytes::new(py, &packed))
        }

        /// Reads a plan that `pack` returned.
        #[staticmethod]
        fn unpack(py: Python<'_>, packed: &[u8]) -> PyResult<Plan> {
            let plan = py.detach(|| sweep::Plan::unpack(packed));
            plan.map(Plan).map_err(|message| unusable(&message))
        }

        /// The digest of all that the rows depend on.
        #[getter]
        fn digest(&self) -> &str {
            self.0.digest()
        }

        /// The number of runs.
        #[getter]
        fn runs(&self) -> u64 {
            self.0.runs()
        }

        /// Runs all runs, and keeps the rows in a file if one is named.
        #[pyo3(signature = (out, jobs, progress))]
        fn table(
            &self,
            py: Python<'_>,
            out: Option<PathBuf>,
            jobs: Option<NonZeroUsize>,
            progress: Option<Py<PyAny>>,
        ) -> PyResult<Table> {
            py.detach(|| {
                let store = match &out {
                    Some(out) => Store::of_file(&self.0, out),
                    None => Ok(Store::in_memory(&self.0, Shard::WHOLE)),
                };
                let mut store = store.map_err(|message| unusable(&message))?;
                self.complete(&mut store, jobs, progress.as_ref())?;
                let table = store.finish().map_err(|message| unusable(&message))?;
                Ok(Table::of(&table))
            })
        }

        /// Runs a part of the runs, and returns its rows for `join`.
        fn part<'py>(
            &self,
            py: Python<'py>,
            number: u64,
            of: u64,
            jobs: Option<NonZeroUsize>,
        ) -> PyResult<Bound<'py, PyBytes>> {
            let expected = || unusable(&format!("expected a part from 1 to {of}, found {number}"));
            let shard = Shard::new(number, of).ok_or_else(expected)?;
            let part = py.detach(|| {
                let mut store = Store::in_memory(&self.0, shard);
                self.complete(&mut store, jobs, None)?;
                Ok::<_, PyErr>(store.part())
            })?;
            Ok(PyBytes::new(py, part.as_bytes()))
        }

        /// Puts parts together.
        fn join(&self, py: Python<'_>, parts: Vec<Vec<u8>>) -> PyResult<Table> {
            py.detach(|| {
                let store = Store::of_parts(&self.0, &parts);
                let table = store.and_then(Store::finish);
                let table = table.map_err(|message| unusable(&message))?;
                Ok(Table::of(&table))
            })
        }
    }

    /// Judges a class file. Returns the verdict as JSON and, if the class is rejected, the diagnoses as text.
    #[pyfunction]
    fn verify(
        py: Python<'_>,
        class: &[u8],
        name: &str,
        class_only: bool,
    ) -> (String, Option<String>) {
        py.detach(|| judge(class, name, class_only))
    }
}
