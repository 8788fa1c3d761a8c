//! The modules of `jive-core` form layers. Each module uses only modules of lower layers, and the files of a folder do
//! not use each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules of the crate, from the bottom to the top.
const LAYERS: [&str; 24] = [
    "variant",
    "limits",
    "id",
    "array_kind",
    "trap",
    "cut",
    "descriptor",
    "opcode",
    "insn",
    "classfile",
    "native",
    "entry",
    "verified",
    "disasm",
    "heap",
    "registers",
    "op",
    "program",
    "lower",
    "link",
    "frame",
    "instance",
    "interp",
    "linked_class",
];

/// A source file: its module path, and its text without comments and unit tests.
struct Source {
    module: Vec<String>,
    /// Whether the file is the `mod.rs` of a folder.
    is_folder: bool,
    text: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        let stem = path.trim_end_matches(".rs");
        let mut module: Vec<_> = stem.split('/').map(str::to_owned).collect();
        let is_folder = module.last().is_some_and(|last| last == "mod");
        if is_folder {
            module.pop();
        }
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
        let lines = code
            .lines()
            .map(|line| line.split("//").next().unwrap_or(""));
        Self {
            module,
            is_folder,
            text: lines.collect::<Vec<_>>().join("\n"),
        }
    }

    /// Returns the names that follow a path in the text, including names in braces.
    fn after<'t>(&'t self, path: &'t str) -> impl Iterator<Item = String> + 't {
        self.text
            .match_indices(path)
            .filter(|(at, _)| {
                let before = self.text[..*at].chars().next_back();
                // After `$`, the path in an exported macro is resolved by the macro's user.
                before.is_none_or(|before| {
                    !before.is_alphanumeric() && !matches!(before, '_' | ':' | '$')
                })
            })
            .flat_map(|(at, _)| {
                let rest = &self.text[at + path.len()..];
                let list = match rest.strip_prefix('{') {
                    Some(list) => &list[..list.find('}').unwrap_or(list.len())],
                    None => rest
                        .split([' ', ';', ',', '(', '<', '!', ')'])
                        .next()
                        .unwrap_or(""),
                };
                let names = list.split(',').map(|name| {
                    let name = name.trim();
                    name.split([':', ' ']).next().unwrap_or("").to_owned()
                });
                names.collect::<Vec<_>>()
            })
    }
}

/// Returns a message for each violation of the rules.
fn violations(sources: &[Source], layers: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let level = |module: &str| layers.iter().position(|layer| *layer == module);
    for source in sources {
        let own = &source.module[0];
        let Some(own_level) = level(own) else {
            found.push(format!("{own} is in no layer"));
            continue;
        };
        for used in source.after("crate::") {
            match level(&used) {
                Some(used_level) if used_level > own_level => {
                    found.push(format!(
                        "{} uses {used}, which is above {own}",
                        source.module.join("/")
                    ));
                }
                Some(_) => {}
                // Refuse a name in the crate's root, which could come from any layer.
                None => found.push(format!(
                    "{} uses crate::{used}, which is no module",
                    source.module.join("/")
                )),
            }
        }
    }
    found.extend(circles(sources));
    found
}

/// Returns the circles among the files of each folder.
fn circles(sources: &[Source]) -> Vec<String> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let files: BTreeSet<_> = sources
        .iter()
        .map(|source| source.module.join("/"))
        .collect();
    for source in sources.iter().filter(|source| !source.is_folder) {
        let [folder @ .., _] = &source.module[..] else {
            continue;
        };
        let siblings = source
            .after("super::")
            .map(|name| [folder.join("/"), name].join("/"));
        let siblings = siblings.filter(|sibling| files.contains(sibling));
        uses.insert(source.module.join("/"), siblings.collect());
    }
    let mut found = Vec::new();
    for start in uses.keys() {
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<_> = uses[start].iter().collect();
        while let Some(next) = waiting.pop() {
            if reached.insert(next) {
                waiting.extend(uses.get(next).into_iter().flatten());
            }
        }
        if reached.contains(start) {
            found.push(format!("{start} is in a circle"));
        }
    }
    found
}

fn read(folder: &Path, prefix: &str, sources: &mut Vec<Source>) {
    let entries = fs::read_dir(folder).expect("the crate's sources are there");
    for entry in entries {
        let entry = entry.expect("a folder of the repository can be listed");
        let name = entry.file_name().into_string().expect("names are ASCII");
        let path = [prefix, &name].concat();
        if entry.path().is_dir() {
            read(&entry.path(), &[&path, "/"].concat(), sources);
        } else if name != "lib.rs" && name != "tests.rs" {
            let text = fs::read_to_string(entry.path()).expect("sources are text");
            sources.push(Source::new(&path, &text));
        }
    }
}

#[test]
fn each_module_uses_only_those_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../jive-core/src");
    let mut sources = Vec::new();
    read(&root, "", &mut sources);
    assert!(sources.len() > 60, "found {} files", sources.len());
    let modules: BTreeSet<_> = sources.iter().map(|source| &source.module[0][..]).collect();
    assert_eq!(modules, LAYERS.into_iter().collect());
    assert_eq!(violations(&sources, &LAYERS), [""; 0]);
}

#[test]
fn imports_from_above_and_circles_are_found() {
    let of = |files: &[(&str, &str)]| {
        let sources: Vec<_> = files
            .iter()
            .map(|(path, text)| Source::new(path, text))
            .collect();
        violations(&sources, &["low", "middle", "high"])
    };
    let low = ("low.rs", "pub fn zero() {}");
    assert_eq!(of(&[low, ("high.rs", "use crate::low::zero;")]), [""; 0]);
    assert_eq!(
        of(&[(
            "low.rs",
            "// use crate::high;\n#[cfg(test)]\nmod tests {\nuse crate::high;"
        )]),
        [""; 0]
    );
    let upward = "low uses high, which is above low";
    assert_eq!(of(&[("low.rs", "use crate::high::top;")]), [upward]);
    assert_eq!(of(&[("low.rs", "fn f() { crate::high::top() }")]), [upward]);
    assert_eq!(of(&[("low.rs", "use crate::{id, high::top};")]).len(), 2);
    assert_eq!(
        of(&[("middle/a.rs", "use crate::high;")]),
        ["middle/a uses high, which is above middle"]
    );
    let circle = [
        ("middle/mod.rs", "mod a; mod b;"),
        ("middle/a.rs", "use super::b::f;"),
        ("middle/b.rs", "use super::{a::f, g};"),
    ];
    assert_eq!(
        of(&circle),
        ["middle/a is in a circle", "middle/b is in a circle"]
    );
}
