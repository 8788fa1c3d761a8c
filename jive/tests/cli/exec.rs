//! `jive exec`.

use std::fs;

use crate::{jive, words};

/// Asserts the output of `jive exec Calls.class CALL` and its exit status.
#[track_caller]
fn assert_result(call: &str, status: i32, out: &str) {
    let ended = jive(words(&format!("exec Calls.class {call}")));
    assert_eq!(
        (ended.status, ended.out.as_str()),
        (status, out),
        "{ended:?}"
    );
}

/// Asserts that `jive exec` refuses a call that does not fit its method, with this reason in the message.
#[track_caller]
fn assert_unfit(call: &str, reason: &str) {
    let ended = jive(words(&format!("exec Calls.class {call}")));
    assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{ended:?}");
    assert!(ended.err.contains(reason), "{}", ended.err);
}

#[test]
fn results_are_printed() {
    assert_result("divide 7 -2", 0, "return: -3\n");
    assert_result("divide -2147483648 -1", 0, "return: -2147483648\n");
    assert_result("nothing", 0, "return\n");
    assert_result("types 1 -128 -32768 7", 0, "return: -31889\n");
    assert_result("array 3", 0, "return: byte[3]\n");
    assert_result("array -1", 0, "return: null\n");
    assert_result("depth 200", 0, "return: 200\n");
}

#[test]
fn traps_are_printed_with_their_place() {
    assert_result(
        "divide 1 0",
        3,
        "trap: ArithmeticException at divide pc 2 (line 7)\n",
    );
    assert_result(
        "keep -1",
        3,
        "trap: NegativeArraySizeException at keep pc 1 (line 37)\n",
    );
    assert_result(
        "keep 2000000",
        3,
        "trap: OutOfMemoryError at keep pc 1 (line 37)\n",
    );
    assert_result(
        "depth 201",
        3,
        "trap: StackOverflowError at depth pc 12 (line 29)\n",
    );
    assert_result(
        "send 1",
        3,
        "trap: ProtectionFault at send pc 6 (line 42)\n",
    );
}

#[test]
fn garbage_is_collected_at_every_allocation() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let calls = directory.path().join("calls");
    // Each array takes more than half of the heap of 1 MiB.
    fs::write(&calls, "array 600000\narray 600000\nkeep 3\ndepth 200\n").expect("a file");
    let calls = calls.to_str().expect("UTF-8");
    let after = |option: &str| {
        let line = format!("exec {option} --calls {calls} Calls.class array -1");
        jive(words(line.trim()))
    };
    let kept = after("");
    assert!(kept.out.contains("OutOfMemoryError"), "{}", kept.out);
    let result = "return: byte[600000]\n";
    for option in ["--collect", "--collect=moving", "--collect=stationary"] {
        let ended = after(option);
        let expected = format!("{result}{result}return: 3\nreturn: 200\nreturn: null\n");
        assert_eq!((ended.status, ended.out), (0, expected), "{option}");
    }
}

#[test]
fn traps_are_those_without_a_collector() {
    for call in [
        "keep -1",
        "keep 2000000",
        "divide 1 0",
        "depth 201",
        "send 1",
    ] {
        let [plain, collected] = ["", "--collect "].map(|option| {
            let ended = jive(words(&format!("exec {option}Calls.class {call}")));
            (ended.status, ended.out, ended.err)
        });
        assert_eq!(plain, collected, "{call}");
        assert_eq!(plain.0, 3, "{call}");
    }
}

#[test]
fn an_endless_loop_runs_out_of_fuel_within_a_second() {
    let start = std::time::Instant::now();
    let ended = jive(words("exec Calls.class spin"));
    assert_eq!(ended.status, 3);
    assert!(
        ended.out.starts_with("trap: FuelExhausted at spin pc "),
        "{}",
        ended.out
    );
    // Ten seconds allow for an unoptimised build on a busy machine.
    assert!(start.elapsed().as_secs() < 10);
}

#[test]
fn fuel_counts_instructions() {
    // `divide` consists of iload_0, iload_1, idiv, ireturn.
    let with = |fuel| jive(words(&format!("exec --fuel {fuel} Calls.class divide 9 3")));
    // With less fuel the static initializer fails first, which consists of iconst_4, newarray, putstatic, return.
    assert_eq!(
        with(2).out,
        "trap: FuelExhausted at <clinit> pc 3 (line 4)\n"
    );
    assert_eq!(with(4).out, "return: 3\n");
    assert_eq!(with(3).status, 3);
}

#[test]
fn what_does_not_fit_is_wrong_usage() {
    assert_unfit("absent", "expected the name of a method of the class");
    assert_unfit("instance", "expected a static method");
    assert_unfit("<clinit>", "expected a method, not an initializer");
    assert_unfit("divide 1", "expected 2 arguments, found 1");
    assert_unfit("divide 1", "it is `static int divide(int, int)`");
    assert_unfit("DIVIDE 1 2", "did you mean `static int divide(int, int)`?");
    assert_unfit("add 128", "expected -128 to 127 for argument 1");
    assert_unfit("types 2 0 0 0", "expected 0 to 1 for argument 1");
    assert_unfit(
        "types 0 0 32768 0",
        "expected -32768 to 32767 for argument 3",
    );
    assert_unfit(
        "divide 1 2147483648",
        "expected -2147483648 to 2147483647 for argument 2",
    );
    assert_unfit("divide 1 x", "for argument 2, found \"x\"");
    assert_unfit("sum 1", "parameter 1 is not");
    assert_eq!(jive(words("exec Calls.class")).status, 2);
}

#[test]
fn calls_of_a_file_share_their_state() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let calls = directory.path().join("calls");
    fs::write(&calls, "add 5\n\nadd -7\ndivide 1 0\n  add 1\n").expect("it can be written");
    let calls = calls.to_str().expect("UTF-8");
    let ended = jive(["exec", "--calls", calls, "Calls.class", "add", "100"]);
    let trap = "trap: ArithmeticException at divide pc 2 (line 7)";
    let out = format!("return: 5\nreturn: -2\n{trap}\nreturn: -1\nreturn: 99\n");
    assert_eq!((ended.status, ended.out), (3, out));
    let alone = jive(["exec", "--calls", calls, "Calls.class"]);
    assert_eq!(alone.out.lines().count(), 4);

    fs::write(calls, "add 5\nadd 500\n").expect("it can be written");
    let wrong = jive(["exec", "--calls", calls, "Calls.class"]);
    assert_eq!(
        (wrong.status, wrong.out.as_str()),
        (2, ""),
        "nothing is called"
    );
    assert!(
        wrong.err.contains("calls:2: cannot call add"),
        "{}",
        wrong.err
    );
}

#[test]
fn time_is_shown_beside_an_unchanged_result() {
    let ended = jive(words("exec --time 20 Calls.class add 5"));
    let (result, time) = ended.out.split_once('\n').expect("two lines");
    assert_eq!((ended.status, result), (0, "return: 5"));
    let number = time
        .strip_prefix("time: ")
        .and_then(|time| {
            time.trim_end()
                .strip_suffix(" ns per call (median of rounds)")
        })
        .expect("the contract's words");
    assert!(
        number.parse::<f64>().is_ok_and(|time| time >= 0.0),
        "{number}"
    );
}

#[test]
fn a_rejected_class_is_not_run() {
    let ended = jive(words("exec LongMaths.class doRx 1 2"));
    assert_eq!((ended.status, ended.out.as_str()), (1, ""));
    assert!(ended.err.contains("error[subset/long]"), "{}", ended.err);
}
