//! Plots and formats of a sweep's table.

use super::{PLAN, planned, read, run};

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
