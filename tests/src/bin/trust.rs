//! Long runs that build trust, and tools for the fuzz targets.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use arbitrary::{Arbitrary, Unstructured};
use jive_lab::Random;
use jive_lab::asm::assemble;
use jive_lab::generate::Program;
use jive_lab::generate::alphabet::{Alphabet, Family};
use jive_lab::generate::{change::break_one, constructor, typed::typed};
use jive_verifier::Policy;
use nic_core::sle::NicNative;
use tests::certified;
use tests::defensive::{Plan, Tally, run};
use tests::fixture::Outcome;
use tests::fuzzing;
use tests::judge;
use tests::lent::Campaign;
use tests::machine;
use tests::openjdk::jdk;
use tests::reference::pairs;
use tests::scope;
use tests::worst::measure;
use traffic::worst::{explored_family, family};

/// Number of calls of each method of a generated class.
const ROUNDS: u32 = 12;
/// Number of choices for one larger program.
const CHOICES: usize = 3000;

const USAGE: &str = "\
usage, where N is a number of cases:
  trust runs N [SEED]      runs of generated programs on both interpreters
  trust scope LENGTH       every body of up to LENGTH instructions, constructors of a step more
  trust judge N [SEED]     class files, judged here and by OpenJDK
  trust certified N [SEED] class files with certificates of all kinds, judged by the check and the verifier
  trust checked N [SEED]   class files with certificates of all kinds, judged by the check and by OpenJDK
  trust lent N [SEED]      classes in memory that holds something already
  trust isolation N [SEED] casts of victims and hostile endpoints, with and without the latter
  trust stated N [SEED]    calls of classes with loops, beside the cost that is stated of them
  trust placed N [SEED]    calls of applets in random scenarios, beside the cost that is stated of them there
  trust reliable N FILE    messages over links with faults, by the applet Reliable; FILE keeps the progress
  trust worst              class files that are made to be slow, measured
  trust search N [SEED]    random class files, and which of them are slowest to analyse
  trust pairs N            the pairs of consecutive ops that generators reach, where any two phrases meet N times
  trust seeds FOLDER       writes the seeds of all fuzz targets
  trust replay TARGET FILE|FOLDER...
                           runs a fuzz target on files without a fuzzer; ignores subfolders";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run_named(&words) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(finding)) => {
            println!("{finding}");
            ExitCode::FAILURE
        }
        None => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Does what the arguments ask for. Returns `None` if they are not those of a run.
fn run_named(words: &[&str]) -> Option<Result<(), String>> {
    let number = |place: usize| -> Option<usize> { words.get(place)?.parse().ok() };
    let seed = number(2).unwrap_or(1);
    let done = match (*words.first()?, number(1)) {
        ("runs", Some(count)) => runs(count, seed),
        ("scope", Some(length)) => all_bodies(length),
        ("judge", Some(count)) => ask_openjdk(
            |bytes| machine::judge(bytes, Policy::ClassOnly, NicNative::TABLE),
            count,
            seed,
        ),
        ("certified", Some(count)) => certified(count, seed),
        ("checked", Some(count)) => {
            let mut campaign = certified::Campaign::new(seed);
            let done = ask_openjdk(|bytes| campaign.checked(bytes), count, seed);
            println!("{}", campaign.tally);
            done
        }
        ("lent", Some(count)) => in_filled_memory(count, seed),
        ("isolation", Some(count)) => isolation(count, seed),
        ("stated", Some(count)) => stated(count, seed),
        ("placed", Some(count)) => placed(count, seed),
        ("reliable", Some(count)) => {
            let sent = tests::delivery::resume(count as u64, Path::new(words.get(2)?));
            sent.map(|sent| println!("{sent} messages arrived once, intact and in order"))
        }
        ("worst", None) => {
            measure_worst();
            analysed::worst();
            Ok(())
        }
        ("search", Some(count)) => {
            analysed::search(count, seed);
            Ok(())
        }
        ("pairs", Some(rounds)) => {
            pairs::print(rounds);
            Ok(())
        }
        ("seeds", _) => fuzzing::write_seeds(Path::new(words.get(1)?)),
        ("replay", _) => fuzzing::replay(words.get(1)?, &words[2..]),
        _ => return None,
    };
    Some(done)
}

/// Runs casts of victims and hostile endpoints, beginning with the cast of number `seed`.
fn isolation(count: usize, seed: usize) -> Result<(), String> {
    let mut tally = tests::isolation::Tally::default();
    for number in seed..seed.saturating_add(count) {
        let held = tests::isolation::hold(number as u64);
        let seen = held.map_err(|breach| {
            let (text, found) = (breach.cast.toml(true), breach.found);
            format!("cast {number}: {found}\n{text}\n{:#?}", breach.cast)
        })?;
        tally.add(seen);
        if (number + 1 - seed).is_multiple_of(10_000) {
            eprintln!("{} casts: {tally:?}", number + 1 - seed);
        }
    }
    println!("{count} casts: {tally:?}");
    Ok(())
}

/// Makes calls of classes with loops, and compares their costs with the stated bounds.
fn stated(count: usize, seed: usize) -> Result<(), String> {
    /// Calls of each class.
    const CALLS: u32 = 20;
    let mut random = Random::new(&seed.to_be_bytes());
    let mut tally = tests::stated::Tally::default();
    while tally.calls < count as u64 {
        tests::stated::compare(&mut random, CALLS, &mut tally)?;
    }
    println!("no call costs more than is stated: {tally}");
    Ok(())
}

/// Makes calls of applets in random scenarios, and compares their costs with the bounds that are stated there.
fn placed(count: usize, seed: usize) -> Result<(), String> {
    let mut tally = tests::placed::Tally::default();
    let mut number = seed as u64;
    while tally.calls < count as u64 {
        tests::placed::compare(number, &mut tally)?;
        number += 1;
    }
    if !tally.missing().is_empty() {
        return Err(format!(
            "no calls of the kinds {:?}: {tally}",
            tally.missing()
        ));
    }
    println!("no call costs more than is stated: {tally}");
    Ok(())
}

/// Runs generated programs on both interpreters; some of the programs are larger.
fn runs(count: usize, seed: usize) -> Result<(), String> {
    let alphabet = Alphabet::new();
    let mut random = Random::new(&seed.to_be_bytes());
    let mut tally = Tally::default();
    let mut plan = Plan {
        policy: Policy::ClassOnly,
        natives: NicNative::TABLE,
        rounds: ROUNDS,
        method: None,
    };
    let mut next_report = 0;
    let count = u64::try_from(count).expect("usize fits u64");
    while tally.runs < count {
        let (bytes, shown) = if random.one_in(8) {
            plan.method = None;
            let choices = random.bytes(CHOICES);
            let program = Program::arbitrary(&mut Unstructured::new(&choices));
            let source = program.map_err(|error| error.to_string())?.source;
            let class = assemble("program", &source).map_err(|error| error.to_string())?;
            (class.bytes, source)
        } else if random.one_in(8) {
            plan.method = Some(Family::Constructor.method());
            let steps = constructor::nested(&mut random);
            let body = constructor::body(&steps, &alphabet);
            let class = body.class(&alphabet);
            let is_accepted =
                machine::judge(&class, plan.policy, plan.natives) == Outcome::Accepted;
            constructor::check(&steps, is_accepted)?;
            (class, body.shown(&alphabet))
        } else {
            let family = Family::ALL[usize::from(random.one_in(5))];
            plan.method = Some(family.method());
            let length = 3 + random.below(50);
            let mut body = typed(&alphabet, family, length, &mut random);
            if random.one_in(2) {
                // Break some bodies: if the verifier overlooks the fault, a run of the body may show it.
                break_one(&mut body, &alphabet, &mut random);
            }
            (body.class(&alphabet), body.shown(&alphabet))
        };
        run(&bytes, &plan, &mut random, &mut tally)
            .map_err(|finding| format!("{finding}\n{shown}"))?;
        if tally.runs >= next_report {
            println!("{tally}");
            next_report += 1_000_000;
        }
    }
    println!("no violation in {tally}");
    Ok(())
}

fn all_bodies(longest: usize) -> Result<(), String> {
    let alphabet = Alphabet::new();
    let longest = u32::try_from(longest).map_err(|error| error.to_string())?;
    for family in Family::ALL {
        // Enumerate constructors with one step more, because there are fewer kinds of steps than of instructions.
        let longest = match family {
            Family::Static => longest,
            Family::Constructor => longest + 1,
        };
        for length in 0..=longest {
            let count = scope::explore(&alphabet, family, length)?;
            println!("{family:?}, length {length}: {count}");
        }
    }
    Ok(())
}

/// Compares classes that are loaded into filled memory with the same classes in clean memory.
fn in_filled_memory(count: usize, seed: usize) -> Result<(), String> {
    let mut campaign = Campaign::new(Random::new(&seed.to_be_bytes()));
    campaign.run(u64::try_from(count).expect("usize fits u64"))?;
    println!("no difference: {campaign}");
    Ok(())
}

/// Judges class files with certificates of all kinds.
fn certified(count: usize, seed: usize) -> Result<(), String> {
    let mut campaign = certified::Campaign::new(seed);
    campaign.run(count, seed)?;
    println!(
        "the check accepts nothing else than the verifier: {}",
        campaign.tally
    );
    Ok(())
}

/// Compares verdicts with OpenJDK's.
fn ask_openjdk(
    ours: impl FnMut(&[u8]) -> Outcome,
    count: usize,
    seed: usize,
) -> Result<(), String> {
    if !jdk::is_java_installed() {
        return Err("there is no `java`".to_owned());
    }
    let report = judge::compare_by(ours, count, seed, |report| {
        let (accepted, judged) = report.totals();
        println!(
            "judged {judged}, accepted by both {accepted}, disagreements {}",
            report.disagreements
        );
    });
    println!("{report}");
    for (number, (_, bytes)) in report.shown.iter().enumerate() {
        let path = format!("disagreement-{number}.class");
        std::fs::write(&path, bytes).map_err(|error| format!("{path}: {error}"))?;
    }
    if report.disagreements == 0 {
        Ok(())
    } else {
        Err("the verifiers disagree; see the class files written here".to_owned())
    }
}

/// Rounds of each measurement; the least CPU time counts.
const REPEATS: usize = 5;

/// Verifies each class file of the worst-case families several times, and prints the least CPU time.
fn measure_worst() {
    println!(
        "{:<18} {:>9} {:>7} {:>10} {:>10} {:>10} {:>9} {:>8} {:>6}  verdict",
        "class file",
        "bytes",
        "methods",
        "parse ms",
        "verify ms",
        "ms/method",
        "steps",
        "budget",
        "KiB"
    );
    for worst in family().into_iter().chain(explored_family()) {
        let rounds = (0..REPEATS)
            .map(|_| measure(&worst.bytes, Policy::ClassOnly, NicNative::TABLE))
            .min_by_key(|measured| measured.parsing + measured.verifying);
        let measured = rounds.expect("there is a round");
        let (steps, budget) = measured.steps.most();
        let methods = measured.steps.methods.len();
        let verifying = measured.verifying.as_secs_f64() * 1e3;
        println!(
            "{:<18} {:>9} {methods:>7} {:>10.3} {verifying:>10.3} {:>10.3} {steps:>9} {:>7.1}% {:>6}  {}",
            worst.name,
            worst.bytes.len(),
            measured.parsing.as_secs_f64() * 1e3,
            verifying / f64::from(u32::try_from(methods.max(1)).expect("few methods")),
            f64::from(steps) * 100.0 / f64::from(budget),
            measured.work_bytes / 1024,
            measured.code.unwrap_or("accepted"),
        );
    }
}

/// Measures the time of analysing slow class files.
mod analysed {
    use jive_lab::Random;
    use tests::worst::{Analysed, analyse, bound, bound_steps_max, steps_max};
    use traffic::worst::{explored_family, family, searched};

    use super::REPEATS;

    /// Bytes of code of a random class.
    const SEARCHED_BYTES: usize = 64_000;
    /// Number of random classes to show.
    const SHOWN: usize = 5;

    /// Analyses each accepted class file of the families, and prints the least CPU time.
    pub(super) fn worst() {
        header();
        for worst in family().into_iter().chain(explored_family()) {
            if let Some(analysed) = least(&worst.bytes) {
                row(worst.name, &worst.bytes, &analysed);
            }
        }
    }

    /// Analyses random class files, and prints the files whose analysis took the most steps.
    pub(super) fn search(count: usize, seed: usize) {
        let mut found = Vec::new();
        for number in seed..seed + count {
            let mut random = Random::new(&number.to_be_bytes());
            let bytes = searched(&mut random, SEARCHED_BYTES);
            if let Some(analysed) = analyse(&bytes) {
                found.push((analysed.steps, number));
            }
        }
        found.sort_unstable();
        header();
        for (_, number) in found.iter().rev().take(SHOWN) {
            let mut random = Random::new(&number.to_be_bytes());
            let bytes = searched(&mut random, SEARCHED_BYTES);
            if let Some(analysed) = least(&bytes) {
                row(&format!("seed {number}"), &bytes, &analysed);
            }
        }
    }

    fn least(bytes: &[u8]) -> Option<Analysed> {
        let rounds = (0..REPEATS).filter_map(|_| analyse(bytes));
        rounds.min_by_key(|analysed| analysed.time)
    }

    fn header() {
        println!(
            "\n{:<18} {:>9} {:>12} {:>9} {:>8} {:>12} {:>9} {:>8}",
            "class file",
            "bytes",
            "analysis ms",
            "steps",
            "of most",
            "bounds ms",
            "steps",
            "of most"
        );
    }

    fn row(name: &str, bytes: &[u8], analysed: &Analysed) {
        let length = bytes.len();
        let percent = analysed.steps * 100 / steps_max(length);
        let rounds = (0..REPEATS).filter_map(|_| bound(bytes));
        let (steps, time) = rounds.min_by_key(|(_, time)| *time).unwrap_or_default();
        let of_bounds = steps * 100 / bound_steps_max(length);
        println!(
            "{name:<18} {length:>9} {:>12.3} {:>9} {percent:>7}% {:>12.3} {steps:>9} {of_bounds:>7}%",
            analysed.time.as_secs_f64() * 1e3,
            analysed.steps,
            time.as_secs_f64() * 1e3,
        );
    }
}
