//! `jive sweep`: the table is the same, however the runs are divided, interrupted and put together.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

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
fn the_table_does_not_depend_on_threads_interruptions_or_parts() {
    let directory = planned(PLAN);
    let whole = run(directory.path(), "sweep plan.toml --out rows.csv --jobs 1");
    let rows = read(directory.path(), "rows.csv");
    let threads = run(
        directory.path(),
        "sweep plan.toml --out threads.csv --jobs 3",
    );
    assert_eq!(
        (threads.out.as_str(), threads.status),
        (whole.out.as_str(), 0)
    );
    assert_eq!(read(directory.path(), "threads.csv"), rows);

    // What a killed process leaves: some whole rows, and the beginning of another.
    run(directory.path(), "sweep plan.toml --shard 1/1 --out whole");
    let lines = read(directory.path(), "whole/part-1-of-1.jsonl");
    let kept: Vec<&str> = lines.split_inclusive('\n').take(8).collect();
    let left = kept.concat() + "{\"run\":7,\"seed\":4,\"val";
    fs::write(directory.path().join("again.csv.part"), left).expect("it can be written");
    let again = run(directory.path(), "sweep plan.toml --out again.csv");
    assert_eq!((again.out.as_str(), again.status), (whole.out.as_str(), 0));
    assert_eq!(read(directory.path(), "again.csv"), rows);
    assert!(!directory.path().join("again.csv.part").exists());

    for part in [3, 1, 5, 2, 4] {
        // A part that is run twice is there once.
        for _ in 0..2 {
            let line = format!("sweep plan.toml --shard {part}/5 --out parts");
            assert_eq!(run(directory.path(), &line).status, 0);
        }
    }
    let joined = run(
        directory.path(),
        "sweep plan.toml --join parts --out joined.csv",
    );
    assert_eq!(
        (joined.out.as_str(), joined.status),
        (whole.out.as_str(), 0)
    );
    assert_eq!(read(directory.path(), "joined.csv"), rows);

    fs::remove_file(directory.path().join("parts/part-4-of-5.jsonl")).expect("it is there");
    let joined = run(directory.path(), "sweep plan.toml --join parts");
    assert_eq!(joined.status, 2);
    assert!(
        joined
            .err
            .contains("lacks 5 of 24 runs, the first of which is run 3"),
        "{}",
        joined.err
    );
    let other = PLAN.replace("seeds = 4", "seeds = 3");
    fs::write(directory.path().join("plan.toml"), other).expect("it can be written");
    let joined = run(directory.path(), "sweep plan.toml --join parts");
    assert_eq!(joined.status, 2);
    assert!(
        joined.err.contains("has rows of another plan"),
        "{}",
        joined.err
    );
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

#[test]
fn plans_with_mistakes_run_nothing() {
    for (from, to, part) in [
        ("\"link.0.loss\"", "\"link.0.los\"", "did you mean `loss`?"),
        ("\"link.0.loss\"", "\"link.7.loss\"", "found `7`"),
        ("[0.0, 0.5, 1.0]", "[]", "expected at least one value"),
        ("[0.0, 0.5, 1.0]", "[0.0, 1.5]", "a probability"),
        (
            "seeds = 4",
            "seeds = 0",
            "expected another value of `seeds`",
        ),
        ("seeds = 4", "sedes = 4", "found `sedes`"),
        ("\"goodput\"", "\"godput\"", "did you mean `goodput`?"),
        (
            "seeds = 4",
            "seeds = 1000000000",
            "`--yes` runs more than 1000000",
        ),
        (
            "seeds = 4",
            "seeds = 4\nzip = [[\"link.0.loss\", \"send.0.repeat\"]]",
            "expected as many values",
        ),
        ("poisson = \"30us\"", "poisson = \"-30us\"", "expected"),
    ] {
        let directory = planned(&PLAN.replace(from, to));
        let ended = run(directory.path(), "sweep plan.toml --out rows.csv");
        assert_eq!(ended.status, 2, "{to}: {}", ended.err);
        assert!(ended.err.contains(part), "{to}: {}", ended.err);
        assert!(!directory.path().join("rows.csv").exists(), "{to}");
    }
    let directory = planned(PLAN);
    for part in ["0/5", "6/5", "a"] {
        let ended = run(
            directory.path(),
            &format!("sweep plan.toml --shard {part} --out parts"),
        );
        assert_eq!(ended.status, 2, "{part}");
    }
    for (axis, says) in [
        (
            "\"seed\" = [1, 2]",
            "expected `seeds`, found an axis `seed`",
        ),
        (
            "\"link.0.latency\" = [\"1us\"]\n\"endpoint.0.fuel\" = [100]\n\"endpoint.client.fuel\" = [200]",
            "expected axes that do not overlap, found `endpoint.0.fuel` and `endpoint.client.fuel`",
        ),
        (
            "\"send.0.repeat\" = [10, 20, 10]",
            "axis `send.0.repeat`: expected each value once, found 10 twice",
        ),
        (
            "\"link.0\" = [{ between = [\"a\", \"b\"] }]",
            "expected axes that do not overlap, found `link.0",
        ),
        (
            "\"sweep.seeds\" = [1, 2]",
            "expected a key of the scenario, found `sweep`",
        ),
        ("seeds = 4", "expected a table"),
    ] {
        let directory = planned(&PLAN.replace("\"send.0.repeat\" = [10, 40]", axis));
        let ended = run(directory.path(), "sweep plan.toml");
        assert_eq!(ended.status, 2, "{axis}: {}", ended.err);
        if axis.starts_with('"') {
            assert!(ended.err.contains(says), "{axis}: {}", ended.err);
        }
    }
    let ended = run(
        directory.path(),
        "sweep plan.toml --plot x=link.0.loss y=latency",
    );
    assert_eq!(ended.status, 2, "{}", ended.err);
    assert!(
        ended
            .err
            .contains("expected a metric of `collect`, found `latency`"),
        "{}",
        ended.err
    );
}

#[test]
fn a_plot_has_a_curve_and_bars_for_each_value() {
    let directory = planned(PLAN);
    let line = "sweep plan.toml --plot x=link.0.loss y=loss by=send.0.repeat --svg plot.svg";
    let ended = run(directory.path(), line);
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    let svg = read(directory.path(), "plot.svg");
    let document = roxmltree::Document::parse(&svg).expect("it is XML");
    let count = |name: &str| {
        document
            .descendants()
            .filter(|node| node.has_tag_name(name))
            .count()
    };
    assert!(count("polyline") >= 2 && count("text") > 8, "{svg}");
    for label in ["link.0.loss", "loss", "10", "40"] {
        let mut texts = document.descendants().filter_map(|node| node.text());
        assert!(texts.any(|text| text.trim() == label), "{label}");
    }
}

#[test]
fn a_plot_has_the_names_of_values_that_are_no_numbers() {
    let plan = PLAN.replace(
        "\"send.0.repeat\" = [10, 40]",
        "\"endpoint.server.host\" = [\"sink\", \"echo\"]",
    );
    let directory = planned(&plan);
    let line = "sweep plan.toml --plot x=endpoint.server.host y=goodput by=link.0.loss";
    let ended = run(directory.path(), line);
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    let svg = read(directory.path(), "sweep.svg");
    let document = roxmltree::Document::parse(&svg).expect("it is XML");
    for label in ["sink", "echo", "0.0", "0.5", "1.0"] {
        let mut texts = document.descendants().filter_map(|node| node.text());
        assert!(texts.any(|text| text.trim() == label), "{label}: {svg}");
    }
}

#[test]
fn rows_and_means_are_the_same_in_each_format() {
    let directory = planned(PLAN);
    let csv = run(
        directory.path(),
        "sweep plan.toml --out rows.csv --format csv",
    );
    let json = run(
        directory.path(),
        "sweep plan.toml --out rows.jsonl --format json",
    );
    assert_eq!((csv.status, json.status), (0, 0));
    let rows = |name| read(directory.path(), name);
    for (csv, json, count) in [
        (rows("rows.csv"), rows("rows.jsonl"), 24),
        (csv.out, json.out, 6),
    ] {
        let mut lines = csv.lines();
        let names: Vec<&str> = lines.next().expect("a head").split(',').collect();
        let objects: Vec<serde_json::Value> = json
            .lines()
            .map(|line| serde_json::from_str(line).expect("an object"))
            .collect();
        assert_eq!(objects.len(), count);
        for (line, object) in lines.zip(&objects) {
            let keys = object.as_object().expect("an object");
            assert_eq!(keys.len(), names.len());
            for (name, field) in names.iter().zip(line.split(',')) {
                match &object[*name] {
                    serde_json::Value::Null => assert_eq!(field, "", "{name}"),
                    serde_json::Value::String(text) => assert_eq!(field, text),
                    serde_json::Value::Bool(flag) => assert_eq!(field, flag.to_string()),
                    // `serde_json` may read the last digit of a number wrongly.
                    number => {
                        let csv: f64 = field.parse().expect("a number");
                        let json = number.as_f64().expect("a number");
                        assert!((csv - json).abs() <= json.abs() * 1e-15, "{name}: {field}");
                    }
                }
            }
        }
    }
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

#[test]
#[cfg(unix)]
fn a_sweep_that_was_killed_goes_on() {
    let directory = small_loss();
    let whole = run(directory.path(), "sweep plan.toml --out whole.csv");
    assert_eq!((whole.status, whole.err.as_str()), (0, ""));
    let mut child = Command::new(env!("CARGO_BIN_EXE_jive"))
        .args(words("sweep plan.toml --out rows.csv --jobs 1"))
        .current_dir(directory.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("the binary was built for this test");
    // Midway: a head and three rows.
    let part = directory.path().join("rows.csv.part");
    let rows = || fs::read_to_string(&part).map_or(0, |text| text.lines().count());
    while rows() < 4 && child.try_wait().expect("it was started").is_none() {
        std::thread::yield_now();
    }
    child.kill().expect("it was started");
    child.wait().expect("it was started");
    assert!((4..12).contains(&rows()), "{} rows", rows());
    assert!(!directory.path().join("rows.csv").exists());
    let again = run(directory.path(), "sweep plan.toml --out rows.csv");
    assert_eq!((again.out.as_str(), again.status), (whole.out.as_str(), 0));
    let [rows, whole_rows] = ["rows.csv", "whole.csv"].map(|name| read(directory.path(), name));
    assert_eq!(rows, whole_rows);
    for part in [7, 2, 10, 4, 1, 9, 3, 8, 6, 5] {
        let line = format!("sweep plan.toml --shard {part}/10 --out parts");
        assert_eq!(run(directory.path(), &line).status, 0);
    }
    let joined = run(
        directory.path(),
        "sweep plan.toml --join parts --out joined.csv",
    );
    assert_eq!(joined.out, whole.out);
    assert_eq!(read(directory.path(), "joined.csv"), whole_rows);
    // The directory has the plan, with all files that it names.
    fs::remove_file(directory.path().join("plan.toml")).expect("it is there");
    let joined = run(directory.path(), "sweep --join parts --out again.csv");
    assert_eq!(joined.out, whole.out);
    assert_eq!(read(directory.path(), "again.csv"), whole_rows);
}

#[test]
fn a_directory_has_the_parts_of_one_plan() {
    let directory = planned(PLAN);
    let part = "sweep plan.toml --shard 1/2 --out parts";
    assert_eq!(run(directory.path(), part).status, 0);
    let other = PLAN.replace("seeds = 4", "seeds = 3");
    fs::write(directory.path().join("plan.toml"), other).expect("it can be written");
    let ended = run(directory.path(), "sweep plan.toml --shard 2/2 --out parts");
    assert_eq!(ended.status, 2);
    let said = "parts/plan.pack is another plan";
    assert!(ended.err.contains(said), "{}", ended.err);
    assert!(!directory.path().join("parts/part-2-of-2.jsonl").exists());
    for joined in ["sweep --join nowhere", "sweep"] {
        assert_eq!(run(directory.path(), joined).status, 2);
    }
    // Rows beside the parts would be read as one of them by the next call.
    let whole = directory.path().join("plan.toml");
    fs::write(whole, PLAN).expect("it can be written");
    let part = "sweep plan.toml --shard 2/2 --out parts";
    assert_eq!(run(directory.path(), part).status, 0);
    for out in ["parts/rows.jsonl", "./parts/../parts/rows.csv"] {
        let ended = run(directory.path(), &format!("sweep --join parts --out {out}"));
        assert_eq!(ended.status, 2, "{out}: {}", ended.err);
        assert!(
            ended.err.contains("among the parts of a sweep"),
            "{}",
            ended.err
        );
        assert!(!directory.path().join(out).exists());
    }
    assert_eq!(
        run(directory.path(), "sweep --join parts --out rows.csv").status,
        0
    );
}

#[test]
#[cfg(unix)]
fn a_full_disk_loses_nothing_that_was_finished() {
    let directory = planned(PLAN);
    let whole = run(directory.path(), "sweep plan.toml --out whole.csv");
    // The process may write files of one block, and writing more is an error, as on a full disk.
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" sweep plan.toml --out rows.csv --jobs 1";
    let output = Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_jive")])
        .current_dir(directory.path())
        .output()
        .expect("there is a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot write rows.csv.part"), "{said}");
    assert!(!directory.path().join("rows.csv").exists());
    let kept = read(directory.path(), "rows.csv.part");
    assert!(kept.lines().count() > 2, "{kept}");
    let again = run(directory.path(), "sweep plan.toml --out rows.csv");
    assert_eq!((again.out.as_str(), again.status), (whole.out.as_str(), 0));
    let [rows, whole] = ["rows.csv", "whole.csv"].map(|name| read(directory.path(), name));
    assert_eq!(rows, whole);
}

#[test]
#[cfg(unix)]
fn one_process_writes_a_part_at_a_time() {
    use rustix::fs::{FlockOperation, flock};
    let directory = planned(PLAN);
    fs::create_dir(directory.path().join("parts")).expect("it can be made");
    let held = directory.path().join("parts/part-2-of-3.part");
    let file = fs::File::create(&held).expect("it can be made");
    flock(&file, FlockOperation::LockExclusive).expect("nobody has it");
    let line = "sweep plan.toml --shard 2/3 --out parts";
    let second = run(directory.path(), line);
    assert_eq!(second.status, 2);
    let said = "another process writes parts/part-2-of-3.part";
    assert!(second.err.contains(said), "{}", second.err);
    drop(file);
    assert_eq!(run(directory.path(), line).status, 0);
    // What lies in the place of the part is not written through.
    let other = "sweep plan.toml --shard 1/3 --out parts";
    let link = directory.path().join("parts/part-1-of-3.part");
    fs::write(directory.path().join("victim"), "precious").expect("it can be written");
    std::os::unix::fs::symlink("../victim", link).expect("it can be made");
    assert_eq!(run(directory.path(), other).status, 2);
    assert_eq!(read(directory.path(), "victim"), "precious");
}

#[test]
fn what_an_interrupted_sweep_left_of_another_plan_is_not_lost() {
    let directory = planned(PLAN);
    run(directory.path(), "sweep plan.toml --shard 1/1 --out parts");
    let rows = read(directory.path(), "parts/part-1-of-1.jsonl");
    let other = PLAN.replace("seeds = 4", "seeds = 3");
    for (left, says) in [
        (&*rows, "rows.csv.part has rows of another plan"),
        (
            "notes\nof mine\n",
            "expected rows of a sweep in rows.csv.part",
        ),
        ("notes", "expected rows of a sweep in rows.csv.part"),
    ] {
        fs::write(directory.path().join("plan.toml"), &other).expect("it can be written");
        fs::write(directory.path().join("rows.csv.part"), left).expect("it can be written");
        let ended = run(directory.path(), "sweep plan.toml --out rows.csv");
        assert_eq!(ended.status, 2);
        assert!(ended.err.contains(says), "{}", ended.err);
        assert_eq!(read(directory.path(), "rows.csv.part"), left);
        assert!(!directory.path().join("rows.csv").exists());
    }
    // With its own plan it goes on: here, it has nothing left to run.
    fs::write(directory.path().join("plan.toml"), PLAN).expect("it can be written");
    fs::write(directory.path().join("rows.csv.part"), rows).expect("it can be written");
    assert_eq!(
        run(directory.path(), "sweep plan.toml --out rows.csv").status,
        0
    );
}

#[test]
fn a_plan_is_another_one_when_a_file_that_it_names_has_changed() {
    let plan = PLAN.replace("{ zeros = 100 }", "{ file = \"payload.bin\" }");
    let directory = planned(&plan);
    let digest = |payload: &str| {
        fs::write(directory.path().join("payload.bin"), payload).expect("it can be written");
        let ended = run(directory.path(), "sweep plan.toml --out rows.csv");
        assert_eq!(ended.status, 0, "{}", ended.err);
        let rows = read(directory.path(), "rows.csv");
        let row = rows.lines().nth(1).expect("a row");
        row.split(',').nth(1).expect("a digest").to_owned()
    };
    assert_eq!(digest("abc"), digest("abc"));
    assert_ne!(digest("abc"), digest("abd"));
}

#[test]
fn settings_of_the_command_line_are_those_of_the_file() {
    let directory = planned(PLAN);
    let set = run(
        directory.path(),
        "run plan.toml --trace text --set link.0.loss=0.5 --set seed=9",
    );
    let edited = PLAN.replace("loss = 0.0\n", "loss = 0.5\n");
    fs::write(
        directory.path().join("plan.toml"),
        format!("seed = 9\n{edited}"),
    )
    .expect("it can be written");
    let file = run(directory.path(), "run plan.toml --trace text");
    assert_eq!(set, file);
    let wrong = run(
        directory.path(),
        "run plan.toml --set endpoint.client.fule=3",
    );
    assert_eq!(wrong.status, 2);
    assert!(wrong.err.contains("did you mean `fuel`?"), "{}", wrong.err);
    let wrong = run(directory.path(), "run plan.toml --set until");
    assert_eq!(wrong.status, 2);
}

#[test]
fn statistics_count_from_the_end_of_the_warm_up() {
    let text = PLAN.split("[sweep]").next().unwrap_or_default();
    let text = text.replace("name = \"server\"", "name = \"server\"\nhost = \"echo\"");
    let directory = planned(&text.replace("gap = { poisson = \"30us\" }", "every = \"100us\""));
    let stats = |settings: &str| {
        let line = format!("run plan.toml --trace json --stats {settings}");
        let ended = run(directory.path(), &line);
        assert_eq!((ended.status, ended.err.as_str()), (0, ""));
        let mut lines: Vec<serde_json::Value> = ended
            .out
            .lines()
            .map(|line| serde_json::from_str(line).expect("it is JSON"))
            .collect();
        let summary = lines.pop().expect("a summary");
        (summary["stats"].clone(), lines)
    };
    let (whole, trace) = stats("");
    // Each latency is the difference of two times of the trace, which is unloaded: all are about the same.
    let at = |event: &str, endpoint: &str| -> Vec<f64> {
        let of = |line: &&serde_json::Value| line["event"] == event && line["endpoint"] == endpoint;
        let times = trace
            .iter()
            .filter(of)
            .map(|line| line["t_ns"].as_f64().expect("a time"));
        times.collect()
    };
    let means = |from: Vec<f64>, to: Vec<f64>| {
        assert_eq!((from.len(), to.len()), (40, 40));
        from.iter()
            .zip(&to)
            .map(|(from, to)| to - from)
            .sum::<f64>()
            / 40.0
    };
    let close = |found: &serde_json::Value, expected: f64| {
        let found = found.as_f64().expect("a number");
        assert!((found - expected).abs() <= 1.0, "{found}, {expected}");
    };
    let one_way = means(at("tx-post", "client"), at("rx-descriptor", "server"));
    let round_trip = means(at("tx-post", "client"), at("rx-descriptor", "client"));
    let [client, server] = [0, 1].map(|row| &whole["channels"][row]);
    close(&server["latency_ns"]["mean"], one_way);
    close(&client["round_trip_ns"]["mean"], round_trip);
    assert!(server["round_trip_ns"].is_null());
    assert_eq!(
        (&server["delivered"], &client["posted"]),
        (&40.into(), &40.into())
    );
    let seconds = whole["to_ns"].as_f64().expect("a time") / 1e9;
    close(&server["goodput"], 4_000.0 / seconds);
    // Messages leave every 100 us: those posted at 1 ms and later are counted.
    let (later, _) = stats("--set stats.from=\"1ms\"");
    assert_eq!(later["channels"][1]["delivered"], 30);
    assert_eq!(later["channels"][1]["latency_ns"]["count"], 30);
    assert_eq!(later["from_ns"], 1_000_000);
    for share in ["dma_in", "dma_out", "wire"] {
        let share = later["nics"][0][share].as_f64().expect("a share");
        assert!(share > 0.0 && share < 1.0, "{share}");
    }
    let queue = &later["endpoints"][0]["transmit_queue"];
    assert_eq!(queue["max"], 1);
    assert!(
        queue["mean"]
            .as_f64()
            .is_some_and(|mean| mean > 0.0 && mean < 1.0)
    );
}

#[test]
fn a_sweep_overwrites_no_file_that_it_reads_or_writes() {
    let directory = small_loss();
    let at = |name: &str| directory.path().join(name);
    let plan = read(directory.path(), "plan.toml");
    let (scenario, section) = plan.split_once("[sweep]").expect("it has a plan");
    fs::write(at("alone.toml"), scenario).expect("it can be written");
    fs::write(
        at("of.toml"),
        format!("[sweep]\nscenario = 'alone.toml'\n{section}"),
    )
    .expect("it can be written");
    let plot = "--plot x=link.0.loss y=latency.p99";
    for (line, said) in [
        ("sweep plan.toml --out plan.toml", "the command reads it"),
        ("sweep plan.toml --out ./plan.toml", "the command reads it"),
        ("sweep of.toml --out alone.toml", "the command reads it"),
        (
            &format!("sweep plan.toml {plot} --svg plan.toml"),
            "the command reads it",
        ),
        (
            &format!("sweep plan.toml --out s.csv {plot} --svg s.csv"),
            "another output goes there",
        ),
    ] {
        let ended = run(directory.path(), line);
        assert_eq!(ended.status, 2, "{line}: {}", ended.err);
        assert!(ended.err.contains(said), "{line}: {}", ended.err);
        assert_eq!(read(directory.path(), "plan.toml"), plan, "{line}");
        assert_eq!(read(directory.path(), "alone.toml"), scenario, "{line}");
        assert!(!at("s.csv").exists(), "{line}");
    }
}
