//! The command behind `bench/run`: times programs beside other VMs, loading and packets, and measures idle endpoints.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use allocations::CountingAllocator;
use bench::applets::AppletSpeed;
use bench::figures::{Loading, Packets};
use bench::kernel::{HELD_OUT, Kernel, PUBLIC, VALIDATION};
use bench::peer::{Peer, PeerError};
use bench::peers;
use bench::plot;
use bench::promises::promises;
use bench::report::{Report, Setting};
use bench::rounds::{Effort, measure};
use bench::sizes;
use bench::table::Table;
use clap::{Parser, ValueEnum};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Measures and prints Markdown. Progress goes to standard error.
#[derive(Parser)]
#[command(name = "bench/run")]
struct Arguments {
    /// Use fewer and shorter rounds
    #[arg(long)]
    quick: bool,

    /// Sections to measure [default: all]
    #[arg(long, value_delimiter = ',', value_name = "SECTION", default_values_t = Section::value_variants().to_vec())]
    only: Vec<Section>,

    /// Programs to measure [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    programs: Vec<String>,

    /// Peers to measure; `native` is always measured [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    peers: Vec<String>,

    /// Also write all measurements as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Also draw the public kernels as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// The executable built from `peers/wasm3.c`
    #[arg(long, value_name = "PROGRAM")]
    wasm3: Option<PathBuf>,

    /// The compiler that built it
    #[arg(long, value_name = "NAME")]
    wasm3_compiler: Option<String>,
}

/// A section of the report.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum Section {
    Kernels,
    Validation,
    HeldOut,
    Loading,
    Packets,
    Applets,
    Sizes,
}

impl std::fmt::Display for Section {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.to_possible_value();
        f.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), PeerError> {
    let wants = |section| arguments.only.contains(&section);
    let mut report = Report {
        setting: Setting::here(arguments.wasm3_compiler.clone()),
        kernels: None,
        validation: None,
        held_out: None,
        loading: None,
        packets: None,
        applets: Vec::new(),
        sizes: Vec::new(),
        promises: Vec::new(),
        skipped: Vec::new(),
    };
    let mut peers = Vec::new();
    if [Section::Kernels, Section::Validation, Section::HeldOut]
        .into_iter()
        .any(wants)
    {
        (peers, report.skipped) = all_peers(arguments);
    }
    if wants(Section::Kernels) {
        report.kernels = side_by_side(arguments, &PUBLIC, &mut peers)?;
    }
    if wants(Section::Validation) {
        report.validation = side_by_side(arguments, &VALIDATION, &mut peers)?;
    }
    if wants(Section::HeldOut) {
        report.held_out = side_by_side(arguments, &HELD_OUT, &mut peers)?;
    }
    if wants(Section::Loading) {
        eprintln!("loading");
        report.loading = Some(Loading::measure());
    }
    if wants(Section::Packets) {
        eprintln!("packets");
        report.packets = Some(Packets::measure());
    }
    if wants(Section::Applets) {
        eprintln!("applets");
        report.applets = AppletSpeed::measure();
    }
    if wants(Section::Sizes) {
        eprintln!("sizes");
        match sizes::measure() {
            Ok(sizes) => report.sizes = sizes,
            Err(error) => report.skipped.push(format!("sizes: {error}")),
        }
    }
    report.promises = promises(&report);
    print!("{report}");
    if let Some(path) = &arguments.json {
        std::fs::write(path, serde_json::to_vec_pretty(&report)?)?;
    }
    if let (Some(path), Some(kernels)) = (&arguments.svg, &report.kernels) {
        std::fs::write(path, plot::draw(kernels)?)?;
    }
    Ok(())
}

/// Returns the wanted peers that are available, and messages about the peers that are not.
fn all_peers(arguments: &Arguments) -> (Vec<Box<dyn Peer>>, Vec<String>) {
    let mut skipped = Vec::new();
    let mut all: Vec<Box<dyn Peer>> = vec![Box::new(peers::Native), Box::new(peers::Jive)];
    match &arguments.wasm3 {
        Some(program) => match peers::wasm3(program) {
            Ok(wasm3) => all.push(Box::new(wasm3)),
            Err(error) => skipped.push(format!("wasm3: {error}")),
        },
        None => skipped.push("wasm3: it was not built".to_owned()),
    }
    #[cfg(feature = "peers")]
    all.extend(crates());
    #[cfg(not(feature = "peers"))]
    skipped.push("peers that are crates: built without them".to_owned());
    for jvm in [peers::Jvm::Interpreter, peers::Jvm::Default] {
        match peers::openjdk(jvm) {
            Ok(openjdk) => all.push(Box::new(openjdk)),
            Err(error) => skipped.push(format!("OpenJDK: {error}")),
        }
    }
    if !arguments.peers.is_empty() {
        // `native` stays in any case, because ratios are relative to it.
        all.retain(|peer| {
            peer.name() == "native" || arguments.peers.iter().any(|name| name == peer.name())
        });
    }
    (all, skipped)
}

/// Returns the peers that are crates.
#[cfg(feature = "peers")]
fn crates() -> [Box<dyn Peer>; 4] {
    [
        Box::new(peers::Wasmi),
        Box::new(peers::Tinywasm),
        Box::new(peers::Rbpf(ebpf::Mode::Interpreted)),
        Box::new(peers::Rbpf(ebpf::Mode::Compiled)),
    ]
}

/// Measures the selected programs.
fn side_by_side(
    arguments: &Arguments,
    programs: &[Kernel],
    peers: &mut [Box<dyn Peer>],
) -> Result<Option<Table>, PeerError> {
    let effort = if arguments.quick {
        Effort {
            rounds: 7,
            turn: Duration::from_millis(3),
        }
    } else {
        Effort {
            rounds: 15,
            turn: Duration::from_millis(15),
        }
    };
    let wanted = |kernel: &&Kernel| {
        let names = &arguments.programs;
        names.is_empty() || names.iter().any(|name| name == kernel.name)
    };
    let mut rows = Vec::new();
    for kernel in programs.iter().filter(wanted) {
        eprintln!("{}: {}", kernel.name, kernel.what);
        rows.push(measure(kernel, peers, effort)?);
    }
    let names = peers.iter().map(|peer| peer.name()).collect();
    Ok((!rows.is_empty()).then(|| Table::new(names, rows)))
}
