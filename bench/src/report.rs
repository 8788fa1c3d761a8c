//! What was measured, as a value: it is written as JSON as it stands, and rendered as Markdown.

use serde::Serialize;

use crate::figures::{Loading, Packets};
use crate::promises::Promise;
use crate::sizes::Size;
use crate::table::Table;

/// All that one run measured.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// On what, and when.
    pub setting: Setting,
    /// The public kernels side by side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernels: Option<Table>,
    /// Programs that nobody tuned for, side by side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<Table>,
    /// How long loading takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loading: Option<Loading>,
    /// What packets and endpoints cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packets: Option<Packets>,
    /// What the freestanding crates weigh.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<Size>,
    /// What is promised, and whether it holds.
    pub promises: Vec<Promise>,
    /// Peers and measurements that were left out, and why.
    pub skipped: Vec<String>,
}

/// The machine and the day.
#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    /// The processor's name.
    pub machine: String,
    /// The day, as in `2026-11-20`.
    pub date: String,
    /// Processes that wanted to run, on average over the last minute, before the run.
    pub load_average: String,
}

impl Setting {
    /// Returns the machine's and today's.
    #[must_use]
    pub fn here() -> Setting {
        let file = |path| std::fs::read_to_string(path).unwrap_or_default();
        let cpus = file("/proc/cpuinfo");
        let model = cpus.lines().find(|line| line.starts_with("model name"));
        let machine = model.and_then(|line| line.split_once(": "));
        let machine = machine.map_or(std::env::consts::ARCH, |(_, name)| name);
        let date = std::process::Command::new("date")
            .args(["-u", "+%F"])
            .output();
        let date = date.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        let load = file("/proc/loadavg");
        Setting {
            machine: machine.to_owned(),
            date: date.unwrap_or_default(),
            load_average: load.split(' ').next().unwrap_or_default().to_owned(),
        }
    }
}
