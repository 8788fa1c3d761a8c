//! The command behind `bench/run`: times programs beside other VMs, loading and packets, and measures idle endpoints.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use allocations::CountingAllocator;
use bench::applets::AppletSpeed;
use bench::copies::{Copies, Measured};
use bench::figures::{Loading, Packets};
use bench::handlers::Handlers;
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

    /// Measure programs in this process, which is the copy COPY of the executable
    #[arg(long, value_name = "COPY", hide = true)]
    copy: Option<usize>,
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
        handlers: None,
        sizes: Vec::new(),
        promises: Vec::new(),
        skipped: Vec::new(),
    };
    let sets = [
        (Section::Kernels, &PUBLIC[..], &mut report.kernels),
        (Section::Validation, &VALIDATION, &mut report.validation),
        (Section::HeldOut, &HELD_OUT, &mut report.held_out),
    ];
    let is_parent = arguments.copy.is_none() && sets.iter().any(|set| wants(set.0));
    let copies = is_parent.then(Copies::new).transpose()?;
    for (section, programs, table) in sets.into_iter().filter(|set| wants(set.0)) {
        let measured = match &copies {
            Some(copies) => copies.measure(&section.to_string(), programs, &passed_on(arguments)),
            None => side_by_side(arguments, programs),
        }?;
        *table = measured.table;
        report.skipped = measured.skipped;
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
        report.handlers = Some(Handlers::measure()?);
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

/// Returns the arguments that each copy receives as well.
fn passed_on(arguments: &Arguments) -> Vec<OsString> {
    let lists = [
        ("--programs", &arguments.programs),
        ("--peers", &arguments.peers),
    ];
    let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
    let mut passed: Vec<OsString> = lists
        .flat_map(|(option, names)| [option.into(), names.join(",").into()])
        .collect();
    if arguments.quick {
        passed.push("--quick".into());
    }
    if let Some(program) = &arguments.wasm3 {
        passed.extend(["--wasm3".into(), program.into()]);
    }
    passed
}

/// Returns the wanted peers that are available, and messages about the peers that are not.
fn all_peers(arguments: &Arguments) -> (Vec<Box<dyn Peer>>, Vec<String>) {
    let mut skipped = Vec::new();
    let mut all: Vec<Box<dyn Peer>> = vec![
        Box::new(peers::Native),
        Box::new(peers::Jive {
            place: arguments.copy.unwrap_or_default(),
        }),
        Box::new(peers::Printed),
    ];
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

/// Measures the selected programs in this process.
fn side_by_side(arguments: &Arguments, programs: &[Kernel]) -> Result<Measured, PeerError> {
    let (mut peers, skipped) = all_peers(arguments);
    // All copies together make 15 rounds, or 10.
    let effort = if arguments.quick {
        Effort {
            rounds: 2,
            turn: Duration::from_millis(3),
        }
    } else {
        Effort {
            rounds: 3,
            turn: Duration::from_millis(15),
        }
    };
    let wanted = |kernel: &&Kernel| {
        let names = &arguments.programs;
        names.is_empty() || names.iter().any(|name| name == kernel.name)
    };
    let mut rows = Vec::new();
    for kernel in programs.iter().filter(wanted) {
        rows.push(measure(kernel, &mut peers, effort)?);
    }
    let names = peers.iter().map(|peer| peer.name().to_owned()).collect();
    let table = (!rows.is_empty()).then(|| Table::new(names, rows));
    Ok(Measured { table, skipped })
}
