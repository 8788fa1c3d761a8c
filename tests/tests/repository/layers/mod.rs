//! The modules of a crate form layers: each file uses only files of its own layer and of those below, and the files of
//! a layer do not use each other in a circle.

mod graph;

use std::collections::BTreeSet;
use std::path::Path;

use self::graph::{Crate, Extension, Files, circles, read};

/// The layers of a crate from the bottom to the top, each with its modules. The longest name that fits a file counts.
type Layers = &'static [&'static [&'static str]];

const JIVE_CORE: Layers = &[
    &["variant"],
    &["plain"],
    &["limits"],
    &["id"],
    &["array_kind"],
    &["trap"],
    &["cut"],
    &["descriptor"],
    &["opcode"],
    &["insn"],
    &["classfile"],
    &["native"],
    &["entry"],
    &["verified"],
    &["disasm"],
    &["heap"],
    &["registers"],
    &["op"],
    &["program"],
    &["lower"],
    &["link"],
    &["frame"],
    &["instance"],
    &["collect"],
    &["interp"],
    &["compiled"],
    &["linked_class"],
];

const NIC_CORE: Layers = &[
    &["time", "cost_class", "random", "limits"],
    &["id"],
    &["memory", "storage"],
    &["chain"],
    &["native"],
    &["report"],
    &["nic"],
    &["unet"],
    &["emp"],
    &["lmmc"],
    &["host"],
    &["remote"],
    &["via"],
    &["javia"],
    &["sle"],
    // The events of all interfaces.
    &["event"],
];

const NIC_RUNTIME: Layers = &[
    &["units", "hexdump", "storage", "ids", "slab", "recent"],
    // A scenario as values.
    &["profile", "spec"],
    &["sched"],
    &["protocol"],
    &["wire"],
    &["nic"],
    &["memory", "host"],
    &["calls"],
    &["sim"],
    &["engine"],
    &["applet"],
    &["judge"],
    &["run"],
    // The reader of scenarios.
    &["scenario"],
    &["export"],
    // Tests of the runs' ends.
    &["at_rest"],
];

/// Returns the layer of a file.
fn layer_of(file: &str, layers: Layers) -> Option<usize> {
    let fits = |module: &str| {
        file.strip_prefix(module)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let modules = layers
        .iter()
        .enumerate()
        .flat_map(|(layer, modules)| modules.iter().map(move |module| (layer, *module)));
    let fitting = modules.filter(|(_, module)| fits(module));
    let (layer, _) = fitting.max_by_key(|(_, module)| module.len())?;
    Some(layer)
}

/// Forms of names that this test does not resolve, so no file may have them.
const UNFOLLOWED: [&str; 3] = ["extern crate self", "#[macro_use", "crate::$"];

/// Returns a line for each use of a higher layer, for each call of a method that a higher layer adds to a type of a lower
/// one, and for each file of a circle within a layer.
fn violations(files: &Files, layers: Layers) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in files.keys().filter(|file| *file != "lib") {
        if layer_of(file, layers).is_none() {
            found.insert(format!("{file} is in no layer"));
        }
    }
    for (file, text) in files {
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for form in code.flat_map(|line| UNFOLLOWED.iter().filter(|form| line.contains(**form))) {
            found.insert(format!("{file} has `{form}`, whose uses are not followed"));
        }
    }
    let graph = Crate::new(files);
    for (from, to) in graph.edges(true) {
        // The crate's page re-exports, and nobody may lean on it.
        if from == "lib" {
            continue;
        }
        match (layer_of(&from, layers), layer_of(&to, layers)) {
            (Some(own), Some(used)) if used <= own => {}
            _ => {
                found.insert(format!("{from} uses {to}"));
            }
        }
    }
    for Extension { method, file, of } in graph.extensions() {
        let (own, of) = (layer_of(&file, layers), layer_of(&of, layers));
        if of >= own {
            continue;
        }
        for caller in graph.callers(&method) {
            let layer = layer_of(caller, layers);
            // If a lower layer has a function of this name, that may be meant.
            let is_below = |file: &str| layer_of(file, layers) <= layer;
            if layer < own && !graph.definers(&method).any(is_below) {
                found.insert(format!("{caller} calls {method} of {file}"));
            }
        }
    }
    // A file may offer what the files below it in its folder define, so re-exports make no circle.
    let mut within = graph.edges(false);
    within.retain(|(from, to)| layer_of(from, layers) == layer_of(to, layers));
    let in_circles = circles(&within).into_iter().flatten();
    found.extend(in_circles.map(|file| format!("{file} is in a circle")));
    found
}

/// Asserts that the modules of a crate form these layers.
fn check(name: &str, layers: Layers) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = read(&root.join("..").join(name).join("src"));
    assert!(files.len() > 50, "found {} files of {name}", files.len());
    let found = Vec::from_iter(violations(&files, layers));
    assert_eq!(found, [""; 0], "{name}: use nothing of a higher layer");
}

#[test]
fn jive_core_is_layered() {
    check("jive-core", JIVE_CORE);
}

#[test]
fn nic_core_is_layered() {
    check("nic-core", NIC_CORE);
}

#[test]
fn nic_runtime_is_layered() {
    check("nic-runtime", NIC_RUNTIME);
}

/// Returns what is found in a crate of the layers `low`, `middle` and `high`.
fn found(modules: &str, files: &[(&str, &str)]) -> Vec<String> {
    let root = [("lib", modules)];
    let files = files
        .iter()
        .chain(&root)
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let layers: Layers = &[&["low"], &["middle"], &["high"]];
    violations(&files.collect(), layers).into_iter().collect()
}

#[test]
fn uses_of_lower_layers_are_allowed() {
    let low = ("low", "pub fn zero() {}");
    let high = ("high", "use crate::low::zero; fn f() { zero() }");
    assert_eq!(found("mod low; mod high;", &[low, high]), [""; 0]);
}

#[test]
fn uses_of_higher_layers_are_found() {
    let high = ("high", "pub fn top() -> u8 { 0 }");
    for text in [
        "use crate::high::top;",
        "use crate::high;",
        "use crate::{high as h};",
        "use super::high::{self, top};",
        "fn f() { crate::high::top(); }",
        "fn f() { use crate::{high::top}; top(); }",
        "pub(crate) use crate::high::top;\nfn f() { top(); }",
        "fn f() { assert_eq!(crate::high::top(), 0); }",
        "macro_rules! call { () => { $crate::high::top() } }",
    ] {
        let low = ("low", text);
        assert_eq!(
            found("mod low; mod high;", &[low, high]),
            ["low uses high"],
            "{text}"
        );
    }
}

#[test]
fn a_reexport_hides_no_use() {
    let high = ("high", "pub struct Top;");
    for (modules, middle) in [
        (
            "mod low; mod middle; mod high;",
            "pub use crate::high::Top;",
        ),
        ("mod low; mod middle; mod high;", "pub use crate::high::*;"),
        (
            "mod low; mod middle; mod high; pub use high::Top;",
            "pub use crate::Top;",
        ),
    ] {
        let files = [("low", "use crate::middle::Top;"), ("middle", middle), high];
        assert_eq!(
            found(modules, &files),
            ["low uses high", "middle uses high"],
            "{middle}"
        );
    }
    let files = [("low", "use crate::Top;"), high];
    assert_eq!(
        found("mod low; mod high; pub use high::Top;", &files),
        ["low uses high"]
    );
}

#[test]
fn methods_that_a_higher_layer_adds_are_found() {
    let low = ("low", "pub struct Low;");
    let high = (
        "high",
        "use crate::low::Low; impl Low { pub fn rise(&self) {} }",
    );
    let call = ("middle", "fn f(low: &crate::low::Low) { low.rise() }");
    let modules = "mod low; mod middle; mod high;";
    assert_eq!(
        found(modules, &[low, call, high]),
        ["middle calls rise of high"]
    );
    let own = (
        "low",
        "pub struct Low; struct Own; impl Own { fn rise() {} }",
    );
    assert_eq!(found(modules, &[own, call, high]), [""; 0]);
}

#[test]
fn names_that_are_not_followed_are_refused() {
    for (form, text) in [
        (
            "extern crate self",
            "extern crate self as own; use own::high::top;",
        ),
        ("#[macro_use", "#[macro_use] mod inner {}"),
        (
            "crate::$",
            "macro_rules! of { ($m:ident) => { crate::$m::top() } }",
        ),
    ] {
        let expected = format!("low has `{form}`, whose uses are not followed");
        let found = found("mod low;", &[("low", text)]);
        assert!(found.contains(&expected), "{found:?}");
    }
}

#[test]
fn tests_and_documentation_may_use_anything() {
    let high = ("high", "pub fn top() {}");
    for text in [
        "// use crate::high;",
        "/// See [`crate::high::top`].\nfn f() {}",
        "#[cfg(test)]\nmod tests { use crate::high; }",
        "#[cfg(doc)]\nuse crate::high;",
    ] {
        let low = ("low", text);
        assert_eq!(found("mod low; mod high;", &[low, high]), [""; 0], "{text}");
    }
}

#[test]
fn circles_within_a_layer_are_found() {
    let files = [
        ("middle/mod", "mod a; mod b; mod c; pub use b::f;"),
        ("middle/a", "use super::f; pub fn g() { f() }"),
        ("middle/b", "use super::a::g; pub fn f() { g() }"),
        ("middle/c", "use super::f;"),
    ];
    let circle = ["middle/a is in a circle", "middle/b is in a circle"];
    assert_eq!(found("mod middle;", &files), circle);
}

#[test]
fn a_file_without_a_layer_is_found() {
    assert_eq!(
        found("mod other;", &[("other", "")]),
        ["other is in no layer"]
    );
}
