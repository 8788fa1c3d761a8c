//! The work whose instructions `bench/gate` counts under callgrind, one kind for each run.

use nic_runtime::Run;
use nic_runtime::export::stats::Stats;
use nic_runtime::export::summary::Summary;
use nic_runtime::export::traps::TrapLog;
use std::hint::black_box;

use bumpalo::Bump;
use jive_core::ClassFile;
use jive_embed::analysis::Report;
use jive_embed::{Instance, Limits, Method, NoNatives, load, load_class, verify_class};
use jive_verifier::Policy;
use nic_core::sle::{NicEntry, NicNative};
use nic_runtime::spec::Scenario;
use traffic::{Traffic, programs};

/// Number of simulated packets; the instructions that build the simulation are counted too.
const PACKETS: u64 = 1_000;
/// Methods of the large class, each with nearly 7 KB of code.
const LARGE_METHODS: u32 = 4;
const LARGE_LOOPS: u32 = 375;

/// Calls of the last method of a class that has as many as a class may have. A handle finds it without a look-up of its
/// name, which would take as long as the calls themselves.
const CALLS: u32 = 1_000;
const METHODS_MAX: u32 = 64;

fn main() {
    let work = std::env::args().nth(1);
    match work.as_deref() {
        Some("load") => counted_load(&Bump::new()),
        Some("large") => {
            let bytes = traffic::large::class_file(LARGE_METHODS, LARGE_LOOPS);
            counted_large(&Bump::new(), &bytes);
        }
        Some("verify") => {
            let bytes = applets::RAW_UNET.class;
            let length = ClassFile::index_len(bytes);
            let mut index = vec![0; length];
            counted_verify(ClassFile::parse(bytes, &mut index).expect("a class file"));
        }
        Some("analysis") => {
            for worst in traffic::worst::explored_family() {
                let length = ClassFile::index_len(&worst.bytes);
                let mut index = vec![0; length];
                let class = ClassFile::parse(&worst.bytes, &mut index).expect("a class file");
                counted_analysis(class);
            }
        }
        Some("packets") => counted_packets(&Traffic::of_one_pair(PACKETS).scenario()),
        Some("summary") => counted_summary(&Traffic::of_one_pair(PACKETS).scenario()),
        Some("stats") => counted_stats(&Traffic::of_one_pair(PACKETS).scenario()),
        Some("applet") => counted_applet(&mut programs::applets(&Bump::new())),
        Some("collected") => counted_collected(&mut programs::collected(&Bump::new())),
        Some("calls") => {
            let bytes = traffic::large::class_file(METHODS_MAX, 1);
            let class = load(&bytes, &[]).expect("loads");
            let last = format!("run{}", METHODS_MAX - 1);
            let method = class.method(&last, "(II)I").expect("its last method");
            let instance = class.instantiate(Limits::default(), NoNatives);
            counted_calls(&mut instance.expect("has no initializer"), method);
        }
        _ => {
            eprintln!(
                "usage: counted \
                 load|large|verify|analysis|packets|summary|stats|applet|collected|calls"
            );
            std::process::exit(2);
        }
    }
}

#[inline(never)]
fn counted_load(arena: &Bump) {
    black_box(load_class(
        arena,
        black_box(applets::RAW_UNET.class),
        Policy::Applet {
            entries: NicEntry::TABLE,
        },
        NicNative::TABLE,
    ))
    .expect("loads");
}

#[inline(never)]
fn counted_large(arena: &Bump, bytes: &[u8]) {
    black_box(load_class(
        arena,
        black_box(bytes),
        Policy::ClassOnly,
        NicNative::TABLE,
    ))
    .expect("loads");
}

#[inline(never)]
fn counted_verify(class: ClassFile<'_>) {
    black_box(verify_class(
        black_box(class),
        Policy::Applet {
            entries: NicEntry::TABLE,
        },
        NicNative::TABLE,
        &mut (),
    ))
    .expect("verifies");
}

#[inline(never)]
fn counted_analysis(class: ClassFile<'_>) {
    black_box(Report::of(black_box(class), Policy::ClassOnly));
}

#[inline(never)]
fn counted_packets(scenario: &Scenario) {
    black_box(
        Run::new(black_box(scenario))
            .execute()
            .map(|outcome| outcome.end),
    )
    .expect("runs");
}

/// Runs a scenario to its summary, with what `jive run --trace none` listens to.
#[inline(never)]
fn counted_summary(scenario: &Scenario) {
    let mut heard = (Summary::new(scenario), TrapLog::default());
    let outcome = Run::new(black_box(scenario)).sink(&mut heard).execute();
    let end = outcome.expect("runs").end;
    heard.0.end(end.time, end.reason);
    black_box(heard.0.totals());
}

/// Runs a scenario to its summary and its statistics.
#[inline(never)]
fn counted_stats(scenario: &Scenario) {
    let mut heard = (
        (Summary::new(scenario), TrapLog::default()),
        Stats::new(scenario),
    );
    let outcome = Run::new(black_box(scenario)).sink(&mut heard).execute();
    let end = outcome.expect("runs").end;
    let ((summary, _), stats) = &mut heard;
    summary.end(end.time, end.reason);
    stats.end(end.time);
    black_box((summary.totals(), stats.report()));
}

/// Runs programs that are linked as applets.
#[inline(never)]
fn counted_applet(programs: &mut [programs::Program<'_>]) {
    for program in programs {
        black_box(black_box(program).run());
    }
}

/// Runs the same programs, linked for a collector.
#[inline(never)]
fn counted_collected(programs: &mut [programs::CollectedProgram<'_>]) {
    for program in programs {
        black_box(black_box(program).run());
    }
}

#[inline(never)]
fn counted_calls(instance: &mut Instance<NoNatives>, method: Method) {
    for _ in 0..CALLS {
        black_box(instance.call(black_box(method), &[0.into(), 0.into()])).expect("returns");
    }
}
