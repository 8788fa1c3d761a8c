//! Plans with mistakes, and outputs that would overwrite a file.

use std::fs;

use super::{PLAN, planned, read, run, small_loss};

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
