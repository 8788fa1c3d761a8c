//! `jive sweep`: the table is the same, however the runs are divided, interrupted and put together.

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
    run(directory.path(), "sweep plan.toml --out lines.jsonl");
    let lines = read(directory.path(), "lines.jsonl");
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
