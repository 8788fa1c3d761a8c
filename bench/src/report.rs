//! The measurements of a run, which are written as JSON and rendered as Markdown.

use serde::Serialize;

use crate::applets::AppletSpeed;
use crate::figures::{Loading, Packets};
use crate::handlers::Handlers;
use crate::promises::Promise;
use crate::sizes::Size;
use crate::table::Table;

/// All measurements of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The machine and the date.
    pub setting: Setting,
    /// The public kernels side by side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernels: Option<Table>,
    /// The validation programs side by side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<Table>,
    /// The held-out programs side by side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<Table>,
    /// Times of loading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loading: Option<Loading>,
    /// Costs of packets and endpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packets: Option<Packets>,
    /// Speeds of the library of applets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub applets: Vec<AppletSpeed>,
    /// The handlers of an applet, interpreted and printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handlers: Option<Handlers>,
    /// Sizes of the freestanding crates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<Size>,
    /// The promises and their results.
    pub promises: Vec<Promise>,
    /// Messages about skipped peers and measurements.
    pub skipped: Vec<String>,
}

/// The machine and the date.
#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    /// The processor's name.
    pub machine: String,
    /// The date, as in `2026-11-20`.
    pub date: String,
    /// The load average of the last minute before the run.
    pub load_average: String,
    /// The compiler that built wasm3, if wasm3 takes part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wasm3_compiler: Option<String>,
}

impl Setting {
    /// Returns the machine's name, its load and today's date.
    #[must_use]
    pub fn here(wasm3_compiler: Option<String>) -> Setting {
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
            wasm3_compiler,
        }
    }
}
