//! `jive paper`, and `jive run --sram`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use jive::paper::{PAPERS, Paper};
use nic_runtime::profile::{Factor, Profile, Source};
use tempfile::TempDir;

use crate::{jive, words};

/// The output of `jive paper PAPER --json`, and the directory of its figures.
type Reproduced = LazyLock<(serde_json::Value, TempDir)>;

fn reproduce(paper: &str) -> (serde_json::Value, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    let ended = jive(["paper", paper, "--json", "--svg", path]);
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    (serde_json::from_str(&ended.out).unwrap(), directory)
}

static REPORT: Reproduced = LazyLock::new(|| reproduce("unet-sle"));
static EMP: Reproduced = LazyLock::new(|| reproduce("emp"));
static CLAN: Reproduced = LazyLock::new(|| reproduce("clan"));
static JAVIA: Reproduced = LazyLock::new(|| reproduce("javia"));
static LMMC: Reproduced = LazyLock::new(|| reproduce("lmmc"));
static COMPARE: Reproduced = LazyLock::new(|| reproduce("compare"));

/// Returns the reports of all papers.
pub(crate) fn reports() -> [&'static serde_json::Value; 6] {
    [&REPORT.0, &EMP.0, &CLAN.0, &JAVIA.0, &LMMC.0, &COMPARE.0]
}

#[test]
fn emp_is_reproduced_with_its_disagreements() {
    let (report, directory) = &*EMP;
    let rows = report["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["ok"] == true));
    let known = rows.iter().filter(|row| row["disagrees"].is_string());
    let known: Vec<_> = known.map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(
        known,
        [
            "SO > RO, DSR, SR: both ways",
            "DSR > SO: one way",
            "base >= SO, RO, DSR or SR: both ways, 64 KiB"
        ]
    );
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    let kinds = |kind: &str| {
        let rows = rows.iter().filter(|row| row["provenance"] == kind);
        rows.map(|row| row["name"].as_str().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        kinds("fitted"),
        [
            "base, 10 B",
            "base, one way",
            "RO, one way",
            "base, both ways",
            "SO, both ways"
        ]
    );
    // The expected rates come from an independent model of the paper's two tables.
    let off = |name: &str, key: &str, expected: f64| {
        let found = row(name)["found"][key].as_f64().unwrap();
        (found / expected - 1.0).abs()
    };
    for (name, expected) in [
        ("base, one way", 849_000.0),
        ("RO, one way", 966_000.0),
        ("SR, one way, as RO", 966_000.0),
        ("base, both ways", 940_000.0),
        ("SO, both ways", 1_104_000.0),
        ("RO, both ways", 1_127_000.0),
        ("DSR, both ways", 1_274_000.0),
        ("SR, both ways", 1_316_000.0),
    ] {
        let off = off(name, "simulated_kbit_per_s", expected);
        assert!(off < 0.005, "{name}: {off}");
    }
    assert!(off("RO, 10 B", "simulated_ns", 22_810.0) < 0.001);
    assert!(off("DSR, 10 B: faster than base", "simulated_percent", 6.2) < 0.01);
    for (name, expected) in [
        ("RO, ten full frames: faster than base", 8.4),
        ("RO, 14 KiB: faster than base", 9.37),
        ("SO, one way: faster than base", 3.53),
        ("DSR, one way: faster than base", 3.53),
    ] {
        let off = off(name, "simulated_percent", expected);
        assert!(off < 0.01, "{name}: {off}");
    }
    for figure in [
        "emp-latency",
        "emp-gain",
        "emp-one-way",
        "emp-both-ways",
        "emp-timeline-base",
        "emp-timeline-so",
        "emp-timeline-ro",
        "emp-timeline-dsr",
        "emp-timeline-sr",
    ] {
        let drawn = fs::read_to_string(directory.path().join(format!("{figure}.svg"))).unwrap();
        let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/figures");
        let shown = fs::read_to_string(shown.join(format!("{figure}.svg"))).unwrap();
        assert!(
            drawn == shown,
            "{figure}: expected what `jive paper emp --svg docs/figures` draws"
        );
    }
}

const LANAI: &str = include_str!("../../../nic-runtime/profiles/lanai-1998.toml");

#[test]
fn the_figures_are_drawn_and_every_row_holds() {
    let (report, directory) = &*REPORT;
    let rows = report["rows"].as_array().unwrap();
    let known = rows.iter().filter(|row| row["disagrees"].is_string());
    assert_eq!((rows.len(), known.count()), (145, 3));
    assert!(rows.iter().all(|row| row["ok"] == true));
    for figure in [
        "figure-3",
        "figure-4",
        "figure-5",
        "scalability-latency",
        "scalability-throughput",
        "host-time",
    ] {
        let svg = fs::read_to_string(directory.path().join(format!("{figure}.svg"))).unwrap();
        assert!(svg.starts_with("<svg"), "{figure}");
        let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/figures");
        let shown = fs::read_to_string(shown.join(format!("{figure}.svg"))).unwrap();
        assert!(
            svg == shown,
            "{figure}: expected what `jive paper unet-sle --svg docs/figures` draws"
        );
    }
}

#[test]
fn changed_row_and_its_totals_leave_their_tolerance() {
    let paper = paper("unet-sle");
    let rows = |text: &str| {
        let profile = Profile::parse(text).unwrap();
        paper.rows_of_few(&profile, &[]).unwrap()
    };
    let text = LANAI.replacen("5.85us", "5.86us", 1);
    assert_ne!(text, LANAI);
    let (before, after) = (rows(LANAI), rows(&text));
    let pairs = before.iter().zip(&after);
    let off = pairs.filter(|(before, after)| before.holds() && !after.holds());
    let off: Vec<_> = off.map(|(_, row)| row.name.as_str()).collect();
    assert_eq!(
        off,
        [
            "receive 1000 B: get free buffer",
            "receive 1000 B: total",
            "simplified applet, 1000 B, receive side (42.5): overhead",
            "simplified applet, 1000 B, both sides (67.0): overhead",
        ]
    );
}

#[test]
fn rows_and_points_are_json_too() {
    let (report, _) = &*REPORT;
    assert_eq!(report["ok"], true);
    let total = report["rows"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["name"] == "receive 1000 B: total")
        .unwrap();
    assert_eq!(total["found"]["simulated_ns"], 42_450);
    assert_eq!(total["provenance"], "accounting");
    assert_eq!(total["statement"], "S1-39");
    let plots = report["plots"].as_array().unwrap();
    assert_eq!(plots.len(), 6);
    // The first drawing is Figure 5. The longest bar of Figure 5 has the paper's five rows, whose sum is the paper's
    // total.
    let longest = &plots[0]["bars"][3];
    assert_eq!(longest["name"], "receive 1000 B");
    assert_eq!(
        longest["parts"],
        serde_json::json!([0.6, 3.2, 5.85, 11.8, 0.0, 21.0])
    );
    assert_eq!(longest["stated"], 42.45);
}

#[test]
fn added_half_round_trip_is_half_the_difference_of_the_curves() {
    let (report, _) = &*REPORT;
    let list = |value: &serde_json::Value| value.as_array().unwrap().clone();
    let figure = list(&report["plots"])
        .into_iter()
        .find(|plot| plot["name"] == "figure-3")
        .unwrap();
    let round_trip = |curve: &str, length: f64| {
        let curves = list(&figure["curves"]);
        let curve = curves.iter().find(|found| found["name"] == curve).unwrap();
        let points = list(&curve["points"]);
        points.iter().find(|point| point[0] == length).unwrap()[1]
            .as_f64()
            .unwrap()
    };
    for (applet, length) in [("simplified", 1000.0), ("simplified", 4096.0)] {
        let name = format!("{applet} applet, {length} B: half the added round trip");
        let rows = list(&report["rows"]);
        let row = rows
            .iter()
            .find(|row| row["name"] == name.as_str())
            .unwrap();
        let half = row["found"]["simulated_ns"].as_f64().unwrap() / 1000.0;
        let added =
            round_trip(&format!("{applet} applet"), length) - round_trip("base U-Net", length);
        assert!(
            (2.0 * half - added).abs() < 0.002,
            "{name}: {half} of {added}"
        );
    }
}

fn rows((report, _): &(serde_json::Value, TempDir)) -> &[serde_json::Value] {
    report["rows"].as_array().unwrap()
}

/// Compares the figures of a paper about VIA with those of the documentation.
fn check_figures(paper: &str, (_, directory): &(serde_json::Value, TempDir), figures: &[&str]) {
    for figure in figures {
        let file = format!("{figure}.svg");
        let drawn = fs::read_to_string(directory.path().join(&file)).unwrap();
        let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/figures");
        let shown = fs::read_to_string(shown.join(&file)).unwrap();
        assert!(
            drawn == shown,
            "{figure}: expected what `jive paper {paper} --svg docs/figures` draws"
        );
    }
    let drawn = fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(drawn, figures.len());
}

fn named<'r>(rows: &'r [serde_json::Value], name: &str) -> &'r serde_json::Value {
    let mut rows = rows.iter();
    rows.find(|row| row["name"] == name).expect("there is one")
}

fn count(rows: &[serde_json::Value], has: impl Fn(&serde_json::Value) -> bool) -> usize {
    rows.iter().filter(|row| has(row)).count()
}

#[test]
fn every_row_of_via_over_clan_holds_or_disagrees_as_known() {
    check_figures(
        "clan",
        &CLAN,
        &["clan-bandwidth", "clan-answers", "clan-servers"],
    );
    let rows = rows(&CLAN);
    assert_eq!(rows.len(), 66);
    assert_eq!(count(rows, |row| row["ok"] == false), 0);
    let known = rows.iter().filter(|row| row["disagrees"].is_string());
    let known: Vec<_> = known.map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(
        known,
        [
            "a protocol of its own, 400,000 /s > events at user level",
            "256 clients"
        ]
    );
    assert_eq!(count(rows, |row| row["given"] == "derived"), 1);
    // The dip is where `clan.dma_min` and `via.pio_max` are, which are fitted to it.
    for name in ["by DMA: 128 B < 96 B", "by either: 128 B < 96 B"] {
        assert_eq!(named(rows, name)["provenance"], "fitted");
    }
    // The NIC of comparison has values of its own, which move its rows and limit the orders with it.
    for (name, kind) in [
        ("16 outstanding, giganet-1999", "shown"),
        ("giganet-1999 > processor: 64 outstanding", "input"),
    ] {
        let row = named(rows, name);
        let moved_by = row["moved_by"].as_array().unwrap();
        let is_compared = |key: &serde_json::Value| {
            let key = key.as_str().unwrap();
            key.starts_with("giganet-1999:")
        };
        assert!(moved_by.iter().any(is_compared), "{row}");
        assert_eq!(row["provenance"], kind);
    }
    // M-VIA has a profile of its own, which is fitted to the one number that the paper quotes.
    let mvia = named(rows, "0 B by the host's kernel, mvia-2001");
    assert_eq!(mvia["found"]["paper_ns"], 19_000);
    let berkeley = named(rows, "Berkeley VIA, 23 us > mvia-2001: 0 B");
    assert_eq!(berkeley["found"]["order"], true);
    for row in [mvia, berkeley] {
        assert_eq!(row["provenance"], "fitted", "{row}");
    }
    // A message without VIA takes what the paper says, and a server without VIA answers more than one with VIA.
    let ping = "two programs without VIA, an entry of a ring and its pointer";
    assert_eq!(named(rows, ping)["found"]["paper_ns"], 2_600);
    // The paper has a number for the busiest server alone.
    for (clients, kind) in [
        ("1 client", "shown"),
        ("2 clients", "shown"),
        ("64 clients", "shown"),
        ("256 clients", "predicted"),
    ] {
        let row = named(rows, clients);
        assert_eq!(row["provenance"], kind, "{row}");
    }
    let order = "without VIA > VIA with interrupts: 64 clients";
    assert_eq!(named(rows, order)["found"]["order"], true);
}

#[test]
fn every_row_of_via_itself_holds() {
    check_figures("javia", &JAVIA, &["javia-bandwidth", "javia-round-trips"]);
    let rows = rows(&JAVIA);
    assert_eq!(rows.len(), 27);
    assert_eq!(count(rows, |row| row["ok"] == false), 0);
    // Table 1 prints one round trip and the slope.
    assert_eq!(count(rows, |row| row["given"] == "derived"), 3);
    // With a slower bus, a row is outside its tolerance.
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("slow.toml");
    let text = include_str!("../../../nic-runtime/profiles/giganet-1999.toml");
    let slow = text.replacen("80MB/s", "70MB/s", 1);
    assert_ne!(slow, text);
    fs::write(&file, slow).unwrap();
    let file = file.to_str().unwrap();
    let ended = jive(["paper", "javia", "--csv", "--profile", file]);
    assert_eq!((ended.status, ended.err.as_str()), (1, ""));
    let is_off = |line: &&str| line.contains(",OFF,");
    assert!(ended.out.lines().any(|line| is_off(&line)), "{}", ended.out);
}

#[test]
fn every_relation_of_lmmc_holds() {
    check_figures("lmmc", &LMMC, &["lmmc-faults", "lmmc-paging"]);
    let rows = rows(&LMMC);
    assert_eq!(rows.len(), 30);
    assert_eq!(count(rows, |row| row["ok"] == false), 0);
    let messages = named(rows, "messages of 1,024 stores of 4 bytes, late");
    assert_eq!(messages["found"]["paper_count"], 64);
    assert_eq!(messages["found"]["simulated_count"], 64);
    // A trap that takes longer lengthens the pause of a sender.
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("slow.toml");
    let text = include_str!("../../../nic-runtime/profiles/lmmc-1997.toml");
    let slow = text.replacen("trap = \"2us\"", "trap = \"20us\"", 1);
    assert_ne!(slow, text);
    fs::write(&file, slow).unwrap();
    let ended = jive([
        "paper",
        "lmmc",
        "--json",
        "--profile",
        file.to_str().unwrap(),
    ]);
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    let slow: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let pause = |rows: &[serde_json::Value]| {
        let found = &named(rows, "pause of the sender")["found"];
        found["simulated_ns"].as_u64().unwrap()
    };
    assert_eq!(
        pause(slow["rows"].as_array().unwrap()) - pause(rows),
        18_000
    );
}

#[test]
fn every_relation_holds_on_own_nics_and_on_one_nic() {
    check_figures("compare", &COMPARE, &["compare-latency"]);
    let rows = rows(&COMPARE);
    assert_eq!(rows.len(), 32);
    assert_eq!(count(rows, |row| row["ok"] == false), 0);
    for place in ["own", "common"] {
        let of_place = |row: &serde_json::Value| {
            let name = row["name"].as_str().unwrap();
            name.ends_with(&format!(", {place}"))
        };
        assert_eq!(count(rows, of_place), 16, "{place}");
    }
    // The interrupts of CLAN's server limit its answers on both.
    for (place, key) in [("own", "clan-2001:host.upcall"), ("common", "host.upcall")] {
        let name = format!("VIA, clan < VIA, hardware: answers, {place}");
        let moved_by = named(rows, &name)["moved_by"].as_array().unwrap();
        assert!(moved_by.iter().any(|moved| moved == key), "{moved_by:?}");
    }
}

/// Returns the lines of the tables as docs/compare.md has them.
fn lines_of_tables() -> Vec<(String, String, String)> {
    let shown = |cell: &serde_json::Value| {
        let of = |key: &str| cell[key].as_f64();
        if let Some(word) = cell["without"].as_str() {
            word.to_owned()
        } else if let Some(ns) = of("simulated_ns") {
            format!("{:.2}", ns / 1000.0)
        } else if let Some(rate) = of("simulated_kbit_per_s") {
            format!("{:.0}", rate / 1000.0)
        } else if let Some(answers) = of("simulated_answers_per_s") {
            format!("{answers:.0}")
        } else {
            format!("{:.2}", of("simulated_per_message").unwrap())
        }
    };
    let list = |value: &serde_json::Value| value.as_array().unwrap().clone();
    let tables = list(&COMPARE.0["tables"]);
    let lines = tables.iter().flat_map(|table| {
        list(&table["lines"]).into_iter().map(|line| {
            let cells: Vec<String> = list(&line["cells"]).iter().map(shown).collect();
            let name = line["name"].as_str().unwrap().to_owned();
            let title = table["title"].as_str().unwrap().to_owned();
            let line = format!("| {name} | {} |", cells.join(" | "));
            (title, name, line)
        })
    });
    lines.collect()
}

#[test]
fn the_tables_of_the_comparison_are_those_of_its_page() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/compare.md");
    let page = fs::read_to_string(path).unwrap();
    let lines = lines_of_tables();
    // Four tables on own NICs and four on one NIC have a line for each interface.
    assert_eq!(lines.len(), 8 * 11);
    for (title, _, line) in &lines {
        let at = page
            .find(&format!("| {title} |"))
            .expect("the page has each table");
        let table = page[at..].split("\n\n").next().unwrap();
        assert!(table.contains(line.as_str()), "{title}: {line}");
    }
}

/// What a message must cost by the rules of its interface, and not by what it takes: frames of 1486 bytes, an
/// acknowledgement for each message, a credit for eight; copies of Javia at both ends, at one or at none; an interrupt for
/// each request, and one for each of two DMA requests.
#[test]
fn a_message_costs_what_its_interface_says() {
    let lines = lines_of_tables();
    let cost = |title: &str, name: &str, column: usize| {
        let mut lines = lines.iter();
        let found = lines.find(|(of, interface, _)| of == title && interface == name);
        let (.., line) = found.unwrap_or_else(|| panic!("{title}: {name}"));
        line.split(" | ")
            .nth(column)
            .unwrap()
            .trim_end_matches(" |")
            .to_owned()
    };
    let (traps, packets, copied) = (3, 4, 5);
    for place in ["own NICs", "one NIC"] {
        let stream = format!("stream, {place}");
        let server = format!("server, {place}");
        let of_stream = |name, column| cost(&stream, name, column);
        // A credit is a message of its own: one packet for eight of the stream, or with its acknowledgement two.
        assert_eq!(of_stream("U-Net, base", packets), "1.12");
        assert_eq!(of_stream("VIA, hardware", packets), "2.25");
        for name in ["EMP, base", "EMP, RO"] {
            assert_eq!(of_stream(name, packets), "4.25");
            assert_eq!(of_stream(name, traps), "0.00");
        }
        // `Drain` gives eight credits in a message of four bytes.
        assert_eq!(of_stream("Javia-I, copy", copied), "8193.00");
        assert_eq!(of_stream("Javia-I, pin", copied), "4096.50");
        assert_eq!(of_stream("Javia-II, buffer", copied), "0.00");
        // A message and its share of a credit are pinned, sent and unpinned.
        assert_eq!(of_stream("Javia-I, pin", traps), "2.25");
        assert_eq!(of_stream("VIA, clan", traps), "2.00");
        // A request and its answer are two messages.
        assert_eq!(cost(&server, "VIA, clan", traps), "0.50");
        assert_eq!(cost(&server, "VIA, hardware", traps), "0.00");
        assert_eq!(cost(&server, "Javia-I, copy", copied), "80.00");
    }
    // On the LANai, by the profile: each way takes 10 us at the sender, 0.5 us of wire, 19.6 us at the receiver and 1.28 us
    // for a descriptor of 64 bytes at 50 MB/s. A round adds 1 us to read and 1 us to post at the echo, and 1 us to read at
    // the end. So half of it is 32.88 us.
    let half = (2.0 * (10.0 + 0.5 + 19.6 + 1.28) + 3.0) / 2.0;
    let expected = format!("{half:.2}");
    assert_eq!(
        cost("half round trips, own NICs", "U-Net, base", 1),
        expected
    );
}

fn paper(name: &str) -> &'static Paper {
    PAPERS.iter().find(|paper| paper.name == name).unwrap()
}

/// Returns the paper's own profile, and those of the NICs of comparison.
fn profiles(paper: &Paper) -> (Profile, Vec<Profile>) {
    let builtin = |name: &str| Profile::builtin(name).unwrap();
    let compared = paper.compared.iter().copied();
    (builtin(paper.profile), compared.map(builtin).collect())
}

/// Returns the source of each value of a paper's profiles, by the name that rows have for it.
fn sources(name: &str) -> BTreeMap<String, Source> {
    let (own, compared) = profiles(paper(name));
    let compared = compared.iter().flat_map(|profile| {
        let entries = profile.entries().into_iter();
        entries.map(|entry| {
            (
                format!("{}:{}", profile.name, entry.key.path()),
                entry.source,
            )
        })
    });
    let own = own.entries().into_iter();
    own.map(|entry| (entry.key.path(), entry.source))
        .chain(compared)
        .collect()
}

/// Returns the profiles of a paper with one value moved: first near, and then farther and farther.
fn moved(paper: &Paper, name: &str) -> Vec<(Profile, Vec<Profile>)> {
    let (own, compared) = profiles(paper);
    let (of, key) = match name.split_once(':') {
        Some((of, key)) => (
            compared.iter().position(|compared| compared.name == of),
            key,
        ),
        None => (None, name),
    };
    let profile = of.map_or(&own, |of| &compared[of]);
    let factors = [
        (4, 5),
        (5, 4),
        (3, 5),
        (3, 2),
        (1, 2),
        (2, 1),
        (2, 5),
        (3, 1),
        (1, 4),
        (4, 1),
    ];
    let factors = factors.map(|(over, under)| Factor::of(over, under));
    let farther = factors
        .into_iter()
        .flat_map(|factor| profile.scaled(factor));
    let moves = profile.moves().into_iter().chain(farther);
    moves
        .filter(|moved| moved.key.path() == key)
        .map(|moved| match of {
            Some(of) => {
                let mut changed = compared.clone();
                changed[of] = moved.profile;
                (own.clone(), changed)
            }
            None => (moved.profile, compared.clone()),
        })
        .collect()
}

/// Every row that names values moves with one of them. By default the rows of U-Net/SLE, which are the slowest, are left
/// out; `JIVE_RUNS=1` has them too.
#[test]
fn each_row_moves_with_a_value_that_it_names() {
    let all = [&LMMC, &EMP, &CLAN, &JAVIA, &COMPARE, &REPORT];
    let reports = match std::env::var_os("JIVE_RUNS") {
        Some(_) => &all[..],
        None => &all[..5],
    };
    for report in reports {
        let paper = paper(report.0["paper"].as_str().unwrap());
        let (own, compared) = profiles(paper);
        let few = |own: &Profile, compared: &[Profile]| paper.rows_of_few(own, compared).unwrap();
        let unmoved = few(&own, &compared);
        let rows = rows(report);
        assert_eq!(unmoved.len(), rows.len());
        let names = |row: usize| rows[row]["moved_by"].as_array().unwrap();
        let mut left: Vec<usize> = (0..rows.len())
            .filter(|&row| !names(row).is_empty())
            .collect();
        while let Some(&first) = left.first() {
            let key = names(first)[0].clone();
            let mut moves = moved(paper, key.as_str().unwrap()).into_iter();
            // One value moves many rows at a time.
            while left.contains(&first) {
                let (own, compared) = moves
                    .next()
                    .unwrap_or_else(|| panic!("{} does not move with {key}", rows[first]["name"]));
                let changed = few(&own, &compared);
                left.retain(|&row| {
                    unmoved[row].found == changed[row].found || !names(row).contains(&key)
                });
            }
        }
    }
}

#[test]
fn a_row_says_what_moves_it_and_no_fitted_row_is_a_prediction() {
    for paper in [&REPORT, &EMP, &CLAN, &JAVIA, &LMMC, &COMPARE] {
        let sources = sources(paper.0["paper"].as_str().unwrap());
        for row in rows(paper) {
            let moved_by = row["moved_by"].as_array().unwrap();
            let evidence = row["provenance"].as_str().unwrap();
            let statement = row["statement"].as_str().unwrap();
            let whole = statement.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
            let names = |kind: &str| {
                let own = [statement, whole].map(|id| format!("{kind} {id}"));
                let mut sources = moved_by.iter().map(|key| &sources[key.as_str().unwrap()]);
                sources.any(|source| own.contains(&source.to_string()))
            };
            if evidence == "shown" {
                let found = row["found"].as_object().unwrap();
                let mut keys = found.keys();
                assert!(!keys.any(|key| key.starts_with("paper_")), "{row}");
                continue;
            }
            let expected = match (moved_by.is_empty(), names("paper"), names("fitted")) {
                (true, ..) => &["input", "accounting"][..],
                (false, true, _) => &["input"],
                (false, false, true) => &["fitted"],
                (false, false, false) => &["predicted"],
            };
            assert!(expected.contains(&evidence), "{row}");
        }
    }
}

/// The pages have the rows of what no paper measured as tables.
#[test]
fn the_tables_of_the_pages_are_what_is_shown() {
    let page = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../docs")
            .join(name);
        fs::read_to_string(path).unwrap()
    };
    let shown = |report: &(serde_json::Value, TempDir), unit: &str, prefix: &str, digits: usize| {
        let mut line = format!("| {prefix} |");
        for row in rows(report) {
            let name = row["name"].as_str().unwrap();
            let is_own = row["provenance"] == "shown" && name.starts_with(prefix);
            if let Some(value) = row["found"][unit]
                .as_f64()
                .filter(|_| is_own && name.contains(": "))
            {
                line += &format!(" {:.digits$}", value / 1000.0);
                line += if unit.ends_with("ns") { " us |" } else { " |" };
            }
        }
        line
    };
    let emp = page("emp.md");
    for scheme in ["SO", "RO", "DSR", "SR"] {
        let line = shown(&EMP, "simulated_kbit_per_s", scheme, 1);
        assert!(emp.contains(&line), "{line}");
    }
    let costs = page("cost-model.md");
    for overhead in ["transmit", "receive 40 B", "receive 1000 B"] {
        let line = shown(&REPORT, "simulated_ns", overhead, 3);
        assert!(costs.contains(&line), "{line}");
    }
}

#[test]
fn unknown_papers_and_profiles_exit_with_2() {
    for (line, expected) in [
        ("paper unet-sla", "did you mean `unet-sle`?"),
        ("paper emp --profile lanai-1998", "no section `[emp]`"),
        ("paper compare --profile lanai-1998", "no section `[via]`"),
        (
            "paper unet-sle --profile lanai-1998-direct",
            "the applets of U-Net/SLE need `RxBuf`",
        ),
        (
            "paper unet-sle --profile missing.toml",
            "built-in profiles are lanai-1998, ",
        ),
        (
            "paper unet-sle --profile Drop.java",
            "cannot read the profile",
        ),
    ] {
        let ended = jive(words(line));
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{line}");
        assert!(ended.err.contains(expected), "{line}: {}", ended.err);
    }
}

#[test]
fn who_holds_what_of_the_sram_adds_up() {
    let ended = jive(words("run pingpong --sram"));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    let lines: Vec<&str> = ended.out.lines().collect();
    // The two NICs have equal SRAM: eight slots of 9,216 bytes and 64 descriptors of 16 bytes. The SRAM of each NIC
    // also holds 8 free buffers of 4 bytes and a channel of 16 bytes.
    assert_eq!(lines.len(), 14);
    assert_eq!(lines[1], "     73728  staging slots");
    assert_eq!(lines[5], "      1072  queues and channels of client");
    let bytes = |line: &str| -> u64 { line.split_whitespace().next().unwrap().parse().unwrap() };
    let sum: u64 = lines[1..6].iter().map(|line| bytes(line)).sum();
    assert_eq!(lines[6], format!("{sum:>10}  of 262144 bytes"));
}
