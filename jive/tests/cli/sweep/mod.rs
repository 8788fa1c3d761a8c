//! `jive sweep`: its table has a row for each run and a mean for each point.

mod mistakes;
mod parts;
mod plots;
mod settings;

use std::fs;
use std::path::Path;

use crate::process::Ended;
use crate::{jive_in, words};

/// A scenario with a lossy link, and a plan over it.
const PLAN: &str = "[[nic]]\nname = \"a\"\n[[nic]]\nname = \"b\"\n\
                    [[link]]\nbetween = [\"a\", \"b\"]\nloss = 0.0\n\
                    [[endpoint]]\nnic = \"a\"\nname = \"client\"\n\
                    [[endpoint]]\nnic = \"b\"\nname = \"server\"\n\
                    [[channel]]\nclient = 1\nserver = 1\n\
                    [[send]]\nendpoint = \"client\"\nchannel = 1\npayload = { zeros = 100 }\nrepeat = 40\n\
                    gap = { poisson = \"30us\" }\n\
                    [sweep]\nseeds = 4\ncollect = [\"loss\", \"goodput\", \"latency.mean\"]\n\
                    [sweep.axes]\n\"link.0.loss\" = [0.0, 0.5, 1.0]\n\"send.0.repeat\" = [10, 40]\n";

fn run(directory: &Path, line: &str) -> Ended {
    jive_in(directory, words(line), b"")
}

/// Makes a directory with the plan.
fn planned(plan: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("plan.toml"), plan).expect("it can be written");
    directory
}

fn read(directory: &Path, name: &str) -> String {
    fs::read_to_string(directory.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn each_point_has_a_row_for_each_seed_and_a_mean() {
    let directory = planned(PLAN);
    let ended = run(directory.path(), "sweep plan.toml --out rows.csv");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    let rows = read(directory.path(), "rows.csv");
    let mut lines = rows.lines();
    let head =
        "jive,plan,run,seed,link.0.loss,send.0.repeat,loss,goodput,latency.mean,ended,cut,error";
    assert_eq!(lines.next(), Some(head));
    let lines: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 3 * 2 * 4);
    // The events are those of the run by itself.
    let events = PLAN.replace("\"loss\", \"goodput\"", "\"events\", \"goodput\"");
    let events = planned(&events);
    assert_eq!(
        run(events.path(), "sweep plan.toml --out rows.csv").status,
        0
    );
    let of_sweep = read(events.path(), "rows.csv");
    let first = of_sweep.lines().nth(1).unwrap_or_default();
    let first = first.split(',').nth(6).unwrap_or_default();
    let set = "--set link.0.loss=0.0 --set send.0.repeat=10 --seed 1";
    let alone = run(events.path(), &format!("run plan.toml --trace none {set}")).out;
    assert!(
        alone.contains(&format!("events        {first}\n")),
        "{first}: {alone}"
    );
    for (run, line) in lines.iter().enumerate() {
        // The seeds of all points are the same.
        assert_eq!(
            (line[2], line[3]),
            (&*run.to_string(), &*(1 + run % 4).to_string())
        );
        match line[4] {
            "0.0" => assert_eq!(line[6], "0"),
            "1.0" => assert_eq!((line[6], line[7], line[8]), ("1", "0", "")),
            _ => assert!(
                line[6]
                    .parse::<f64>()
                    .is_ok_and(|loss| (0.0..=1.0).contains(&loss))
            ),
        }
        assert_eq!(&line[9..], ["idle", "false", ""]);
    }
    // The mean of the loss of a point is that of its rows.
    let of_point = |loss: &str, repeat: &str| {
        let rows = lines
            .iter()
            .filter(|line| (line[4], line[5]) == (loss, repeat));
        let losses: Vec<f64> = rows
            .map(|line| line[6].parse().expect("a number"))
            .collect();
        losses.iter().sum::<f64>() / losses.len() as f64
    };
    let mut table = ended.out.lines();
    let head: Vec<&str> = table
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let columns = [
        "link.0.loss",
        "send.0.repeat",
        "runs",
        "failed",
        "cut",
        "loss",
        "goodput",
        "latency.mean",
    ];
    assert_eq!(head, columns);
    for line in table {
        let fields: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(&fields[2..5], ["4", "0", "0"], "{line}");
        let mean: f64 = fields[5].parse().expect("a number");
        assert!(
            (mean - of_point(fields[0], fields[1])).abs() < 1e-5,
            "{line}"
        );
    }
    // A neighbour's loss does not change the times of the messages, so points differ in nothing but their axes.
    let plain = lines
        .iter()
        .filter(|line| line[4] == "0.0" && line[5] == "40");
    assert_eq!(plain.count(), 4);
}

#[test]
fn a_run_that_fails_is_a_row() {
    // With this much heap the applet does not fit into the NIC's memory.
    let plan = PLAN.replace(
        "name = \"server\"",
        "name = \"server\"\napplet = \"builtin:RawUnet\"\nheap = 100",
    );
    let plan = plan.replace(
        "\"send.0.repeat\" = [10, 40]",
        "\"endpoint.server.heap\" = [1000, 100000000]",
    );
    let directory = planned(&plan);
    let ended = run(directory.path(), "sweep plan.toml --out rows.csv");
    assert_eq!(ended.status, 1, "{}", ended.err);
    let rows = read(directory.path(), "rows.csv");
    let failed: Vec<&str> = rows
        .lines()
        .filter(|line| line.contains("100000000"))
        .collect();
    assert_eq!(failed.len(), 3 * 4);
    assert!(
        failed.iter().all(|line| line.contains("SRAM")),
        "{failed:?}"
    );
    assert_eq!(
        ended
            .out
            .lines()
            .skip(1)
            .filter(|line| line.contains(" 4  "))
            .count(),
        6,
        "{}",
        ended.out
    );
}

/// Returns the columns `failed`, `cut` and `loss` of each point, without the interval.
fn points(table: &str) -> Vec<Vec<String>> {
    let lines = table.lines().skip(1).map(|line| {
        let fields = line.split("  ").filter(|field| !field.is_empty());
        fields.skip(3).take(3).map(|field| field.trim().to_owned())
    });
    lines.map(Iterator::collect).collect()
}

#[test]
fn what_fails_in_a_run_fails_in_a_sweep_and_is_in_no_mean() {
    let expected = PLAN.replace(
        "[sweep]\n",
        "[[expect]]\nendpoint = \"server\"\ncount = 40\n[sweep]\n",
    );
    let expected = expected.replace("seeds = 4", "seeds = 1");
    let directory = planned(&expected);
    let ended = run(directory.path(), "sweep plan.toml --out rows.csv");
    assert_eq!(ended.status, 1, "{}", ended.err);
    let lost = |line: &[String]| (line[0].clone(), line[2].clone());
    let shown: Vec<_> = points(&ended.out).iter().map(|line| lost(line)).collect();
    let failed = ("1".to_owned(), "-".to_owned());
    let met = ("0".to_owned(), "0".to_owned());
    // Without loss, 40 of 40 messages arrive; 10 are too few.
    let rest = [&failed; 4];
    assert_eq!(
        shown.iter().collect::<Vec<_>>(),
        [&[&failed, &met][..], &rest[..]].concat()
    );
    let rows = read(directory.path(), "rows.csv");
    assert_eq!(
        rows.matches("an expectation is not met").count(),
        5,
        "{rows}"
    );

    let trap = PLAN.replace(
        "name = \"server\"\n",
        "name = \"server\"\napplet = \"builtin:Reliable\"\nstate = { QUEUE_BITS = 3 }\n",
    );
    // With more places the ring does not fit into the applet's heap.
    let trap = trap.replace(
        "\"send.0.repeat\" = [10, 40]",
        "\"endpoint.server.state.QUEUE_BITS\" = [3, 6]",
    );
    let directory = planned(&trap);
    let ended = run(directory.path(), "sweep plan.toml --out rows.csv");
    assert_eq!(ended.status, 1, "{}", ended.err);
    let rows = read(directory.path(), "rows.csv");
    let said = "an applet of server trapped while it was loaded";
    assert_eq!(rows.matches(said).count(), 3 * 4, "{rows}");
    for (number, point) in points(&ended.out).iter().enumerate() {
        let expected = if number % 2 == 0 { "0" } else { "4" };
        assert_eq!(point[0], expected, "{}", ended.out);
    }
}

#[test]
fn a_sweep_says_that_a_default_cut_its_runs() {
    let directory = planned(&PLAN.replace("poisson = \"30us\"", "poisson = \"100ms\""));
    let ended = run(directory.path(), "sweep plan.toml");
    assert_eq!(ended.status, 4, "{}", ended.out);
    assert!(points(&ended.out).iter().all(|point| point[0] == "0"));
    assert!(points(&ended.out).iter().any(|point| point[1] == "4"));
    let allowed = run(directory.path(), "sweep plan.toml --allow-cut");
    assert_eq!((allowed.status, allowed.out), (0, ended.out));
}

#[test]
fn keys_that_change_together_may_have_a_value_again() {
    let zip = "seeds = 4\nzip = [[\"link.0.loss\", \"send.0.repeat\"]]";
    for repeats in ["[10, 10, 40]", "[10, 40, 40]"] {
        let plan = PLAN.replace("seeds = 4", zip).replace("[10, 40]", repeats);
        let ended = run(planned(&plan).path(), "sweep plan.toml");
        assert_eq!(ended.status, 0, "{repeats}: {}", ended.err);
        assert_eq!(ended.out.lines().count(), 4, "{}", ended.out);
    }
    let plan = PLAN
        .replace("seeds = 4", zip)
        .replace("[10, 40]", "[10, 40, 10]");
    let ended = run(
        planned(&plan.replace("[0.0, 0.5, 1.0]", "[0.5, 1.0, 0.5]")).path(),
        "sweep plan.toml",
    );
    assert_eq!(ended.status, 2, "{}", ended.out);
    assert!(ended.err.contains("found 0.5 twice"), "{}", ended.err);
}

#[test]
fn a_mean_says_in_how_many_runs_its_metric_is() {
    let plan = PLAN.replace("[0.0, 0.5, 1.0]", "[0.0, 0.97]");
    let directory = planned(&plan.replace("seeds = 4", "seeds = 30"));
    let table = run(directory.path(), "sweep plan.toml --format csv").out;
    let [head, full, _, few, ..] = &table.lines().collect::<Vec<_>>()[..] else {
        panic!("expected a line for each point, found {table}");
    };
    let place = head.split(',').position(|name| name == "latency.mean.runs");
    let place = place.expect("a column");
    assert_eq!(full.split(',').nth(place), Some("30"));
    let few = few.split(',').nth(place).unwrap_or_default();
    let count: u32 = few.parse().expect("a number");
    assert!((1..30).contains(&count), "{count}");
    let text = run(directory.path(), "sweep plan.toml").out;
    assert!(text.contains(&format!(" of {count}")), "{text}");
}

/// A plan over the lossy link of `docs/examples`, with a hundredth of its runs.
fn small_loss() -> tempfile::TempDir {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/loss.toml");
    let text = fs::read_to_string(path).expect("it is committed");
    let small = text.replace("seeds = 40", "seeds = 1");
    let small = small.replace("[0.0, 0.05, 0.1, 0.15, 0.2]", "[0.0, 0.2]");
    assert_ne!(small, text);
    planned(&small)
}
