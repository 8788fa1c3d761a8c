//! Settings of the command line, and the warm-up that statistics leave out.

use std::fs;

use super::{PLAN, planned, run};

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
