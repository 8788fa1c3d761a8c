//! A sweep that is interrupted, divided or killed: its table is the same.

use std::fs;
use std::process::{Command, Stdio};

use super::{PLAN, planned, read, run, small_loss};
use crate::words;

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
