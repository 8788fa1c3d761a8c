//! The limits that `jive verify` reports for accepted classes, compared with sums computed by hand.
//!
//! An instruction counts 1, and a slot of a frame has 4 bytes. An array has 8 bytes of header plus its elements,
//! rounded up to a multiple of 8.

use std::path::Path;

use serde_json::{Value, json};

use crate::{jive, words};

/// Returns the report on the methods of `Bounds`.
fn bounds() -> Value {
    let ended = jive(words("verify --class-only --format json Bounds.class"));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    serde_json::from_str(&ended.out).expect("one object")
}

#[track_caller]
fn entry<'v>(verdict: &'v Value, method: &str) -> &'v Value {
    let entries = verdict["entry_points"].as_array().expect("a list");
    let entry = entries.iter().find(|entry| entry["method"] == method);
    entry.expect("every method is an entry point of a class that is no applet")
}

#[test]
fn paths_add_up_to_the_worst_case() {
    let verdict = bounds();
    for (method, bytecodes, frames) in [
        // `<init>` is aload_0, invokespecial, return; its frame has one operand and `this`.
        ("<init>", 3, 8),
        // `straight` is iload_0, iconst_1, iadd, ireturn; its frame has two operands and a parameter.
        ("straight", 4, 12),
        // The longest path of `either` is iload_0, ifne, iload_0, iload_0, imul, iload_0, imul, ireturn.
        ("either", 8, 12),
        // `calls` has six instructions itself, 4 in `straight` and 8 in `either`. The frame of `calls` is below one
        // frame of either callee.
        ("calls", 18, 24),
    ] {
        let entry = entry(&verdict, method);
        assert_eq!(entry["bytecodes_max"], bytecodes, "{method}");
        assert_eq!(entry["frame_bytes_max"], frames, "{method}");
    }
    let chain = &entry(&verdict, "calls")["call_chain"];
    assert_eq!(*chain, json!(["calls", "straight"]));
}

#[test]
fn recursion_is_named_and_bounds_nothing() {
    let verdict = bounds();
    for method in ["even", "odd", "towardsRecursion"] {
        let entry = entry(&verdict, method);
        assert_eq!(entry["recursion"], json!(["even", "odd"]), "{method}");
        for absent in ["call_chain", "frame_bytes_max", "bytecodes_max"] {
            assert_eq!(entry[absent], Value::Null, "{method} {absent}");
        }
    }
}

#[test]
fn arrays_add_up_where_nothing_else_decides() {
    let verdict = bounds();
    // The persistent heap is an array of 10 bytes, rounded up to 16, and its header.
    assert_eq!(verdict["persistent_heap_bytes"], 24);
    for (method, bytes, is_constant) in [
        ("straight", json!(0), true),
        // Five shorts take 16 bytes, three ints take 16, and each of the two arrays has a header.
        ("constantHeap", json!(48), true),
        ("sometimesHeap", json!(16), false),
        ("anyHeap", Value::Null, false),
        ("heapInLoop", Value::Null, false),
    ] {
        let entry = entry(&verdict, method);
        assert_eq!(entry["heap_bytes_max"], bytes, "{method}");
        assert_eq!(entry["heap_is_constant"], is_constant, "{method}");
    }
}

#[test]
fn counted_loops_are_those_that_must_end() {
    let verdict = bounds();
    for (method, loops, uncounted) in [
        ("straight", 0, 0),
        ("up", 1, 0),
        // The bound of `upToAndWith` may be the largest `int`, which no counter exceeds.
        ("upToAndWith", 1, 1),
        ("upToAndWithFixed", 1, 0),
        // With a step of two, the counter may wrap around at the largest `int`.
        ("byTwo", 1, 1),
        ("byTwoFixed", 1, 0),
        // No array is long enough that a counter with a step of four wraps around.
        ("overArray", 1, 0),
        ("down", 1, 0),
        ("wrongWay", 1, 1),
        ("movingBound", 1, 1),
        ("steppedTwice", 1, 1),
        ("steppedSometimes", 1, 1),
        ("assigned", 1, 1),
        ("nested", 2, 0),
        ("endlessInside", 2, 1),
        ("fieldAsBound", 1, 0),
        ("fieldSetInside", 1, 1),
        // The method that the loop of `fieldAndCall` calls might set the tested field.
        ("fieldAndCall", 1, 1),
        ("testedLast", 1, 0),
    ] {
        let entry = entry(&verdict, method);
        assert_eq!(entry["loops"], loops, "{method}");
        let places = entry["uncounted_loops"].as_array().expect("a list");
        assert_eq!(places.len(), uncounted, "{method}");
        assert!(places.iter().all(|place| place["method"] == method));
        let is_bounded = entry["bytecodes_max"].is_u64();
        assert_eq!(is_bounded, loops == 0, "{method}");
    }
    // The inner loop of `endlessInside` never ends, because none of its rounds changes the tested field.
    let place = &entry(&verdict, "endlessInside")["uncounted_loops"][0];
    assert_eq!(
        *place,
        json!({ "method": "endlessInside", "pc": 7, "line": 158 })
    );
}

#[test]
fn an_applet_takes_as_much_heap_as_is_said() {
    let ended = jive(words("run pingpong --trace json"));
    assert_eq!(ended.status, 0);
    let load = ended.out.lines().find(|line| line.contains(r#""load""#));
    let load = serde_json::from_str::<Value>(load.expect("applets are loaded")).expect("JSON");
    assert_eq!(load["class"], "RawUnet");
    let verdict = jive(["verify", "--format", "json", &applet("RawUnet")]);
    let verdict = serde_json::from_str::<Value>(&verdict.out).expect("one object");
    assert_eq!(verdict["persistent_heap_bytes"], load["heap_bytes"]);
}

#[test]
fn the_report_for_people_is_a_paragraph_an_entry_point() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../applets/class");
    let ended = crate::jive_in(&directory, words("verify --report RawUnet.class"), b"");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    insta::assert_snapshot!(ended.out);
}

fn applet(name: &str) -> String {
    let path = format!("../applets/class/{name}.class");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    path.to_string_lossy().into_owned()
}
