//! Copies of the benchmark's executable, each of which measures a share of the rounds.
//!
//! The same executable may have another speed after it was copied or read from disk again, because its code then lies in
//! other physical pages. JIVE took 1.2 times as long for `crc32` in two of 14 copies, and 4.3 times as long for `crc32t`
//! in one. The bytes and the arguments of all copies were equal, and each copy had the same speed in every run. The
//! median over the rounds of several copies leaves such a copy out.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use serde::Deserialize;
use tempfile::TempDir;

use crate::kernel::Kernel;
use crate::peer::PeerError;
use crate::rounds::{Row, Times};
use crate::table::Table;

/// Number of copies.
pub const COPIES: usize = 5;

/// The copies of the running executable. All of them exist at once, so that no two have the same pages.
#[derive(Debug)]
pub struct Copies {
    folder: TempDir,
    programs: Vec<PathBuf>,
}

/// What the copies measured.
#[derive(Debug)]
pub struct Measured {
    /// The joined table; `None` if no program was selected.
    pub table: Option<Table>,
    /// Messages about skipped peers.
    pub skipped: Vec<String>,
}

/// The parts of a copy's report that are joined.
#[derive(Deserialize)]
struct Share {
    kernels: Option<Part>,
    validation: Option<Part>,
    held_out: Option<Part>,
    #[serde(default)]
    skipped: Vec<String>,
}

#[derive(Deserialize)]
struct Part {
    peers: Vec<String>,
    rows: Vec<PartRow>,
}

#[derive(Deserialize)]
struct PartRow {
    name: String,
    check: i32,
    cells: Vec<Option<PartCell>>,
}

#[derive(Deserialize)]
struct PartCell {
    rounds: Vec<f64>,
}

impl Copies {
    /// Copies the running executable.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be written.
    pub fn new() -> Result<Copies, PeerError> {
        let original = std::env::current_exe()?;
        // The folder of the executable allows programs to run, which a folder for temporary files need not.
        let folder =
            tempfile::tempdir_in(original.parent().ok_or("the executable has no folder")?)?;
        let mut programs = Vec::new();
        for copy in 0..COPIES {
            let path = folder.path().join(format!("bench-{copy}"));
            std::fs::copy(&original, &path)
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            programs.push(path);
        }
        Ok(Copies { folder, programs })
    }

    /// Measures the programs of a section in each copy, and joins the rounds. `arguments` are passed on to the copies.
    ///
    /// # Errors
    ///
    /// Fails if a copy fails, or if the reports of two copies differ in more than times.
    pub fn measure(
        &self,
        section: &str,
        kernels: &[Kernel],
        arguments: &[OsString],
    ) -> Result<Measured, PeerError> {
        let report = self.folder.path().join("report.json");
        let mut parts = Vec::new();
        let mut skipped = Vec::new();
        for (copy, program) in self.programs.iter().enumerate() {
            eprintln!("{section}: copy {} of {COPIES}", copy + 1);
            let output = Command::new(program)
                .args(["--only", section, "--copy", &copy.to_string(), "--json"])
                .arg(&report)
                .args(arguments)
                .output()?;
            if !output.status.success() {
                let error = String::from_utf8_lossy(&output.stderr);
                let error = error.trim_end().trim_start_matches("error: ");
                return Err(format!("copy {}: {error}", copy + 1).into());
            }
            let share: Share = serde_json::from_slice(&std::fs::read(&report)?)?;
            parts.extend(share.kernels.or(share.validation).or(share.held_out));
            skipped = share.skipped;
        }
        let table = join(parts, kernels)?;
        Ok(Measured { table, skipped })
    }
}

/// Joins the rounds of the same programs and peers.
fn join(parts: Vec<Part>, kernels: &[Kernel]) -> Result<Option<Table>, PeerError> {
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else {
        return Ok(None);
    };
    let mut rows = Vec::new();
    for row in first.rows {
        let kernel = kernels.iter().find(|kernel| kernel.name == row.name);
        rows.push(Row {
            kernel: *kernel.ok_or_else(|| format!("a copy measured {}", row.name))?,
            check: row.check,
            times: row.cells.into_iter().map(times).collect(),
        });
    }
    for part in parts {
        let names = part.rows.iter().map(|row| (row.name.as_str(), row.check));
        let expected = rows.iter().map(|row| (row.kernel.name, row.check));
        let cells = part.rows.iter().flat_map(|row| &row.cells);
        let all_times = rows.iter().flat_map(|row| &row.times);
        if part.peers != first.peers
            || !names.eq(expected)
            || !cells
                .map(Option::is_some)
                .eq(all_times.map(Option::is_some))
        {
            return Err("two copies measured different peers, programs or check values".into());
        }
        for (row, more) in rows.iter_mut().zip(part.rows) {
            for (times, cell) in row.times.iter_mut().zip(more.cells) {
                let cell = cell.map(|cell| cell.rounds);
                times
                    .iter_mut()
                    .for_each(|times| times.0.extend(cell.iter().flatten()));
            }
        }
    }
    Ok(Some(Table::new(first.peers, rows)))
}

fn times(cell: Option<PartCell>) -> Option<Times> {
    cell.map(|cell| Times(cell.rounds))
}

#[cfg(test)]
mod tests {
    use super::{Part, PartCell, PartRow, join};
    use crate::kernel::PUBLIC;

    fn part(check: i32, jive: [f64; 3]) -> Part {
        let cell = |rounds: [f64; 3]| {
            Some(PartCell {
                rounds: rounds.to_vec(),
            })
        };
        Part {
            peers: vec!["native".to_owned(), "JIVE".to_owned()],
            rows: vec![PartRow {
                name: "crc32".to_owned(),
                check,
                cells: vec![cell([1.0; 3]), cell(jive)],
            }],
        }
    }

    #[test]
    fn the_median_leaves_a_slow_copy_out() {
        let parts = [[5.0; 3], [20.0; 3], [5.0, 6.0, 7.0]].map(|jive| part(1, jive));
        let table = join(parts.into(), &PUBLIC).expect("parts that agree");
        let table = table.expect("a table");
        assert_eq!(table.ratio("crc32", "JIVE", "native"), Some(6.0));
        let cell = table.rows[0].cells[1].as_ref().expect("a cell");
        assert_eq!((cell.rounds.len(), cell.spread), (9, (5.0, 20.0)));
    }

    #[test]
    fn copies_that_disagree_are_refused() {
        let error = join(vec![part(1, [5.0; 3]), part(2, [5.0; 3])], &PUBLIC);
        let error = error.expect_err("different check values").to_string();
        assert!(error.contains("check values"), "{error}");
    }

    #[test]
    fn empty_section_has_no_table() {
        assert!(
            join(Vec::new(), &PUBLIC)
                .expect("nothing to join")
                .is_none()
        );
    }
}
