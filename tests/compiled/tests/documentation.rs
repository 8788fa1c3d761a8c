//! docs/compiled.md shows what is printed, and its program is the example that CI builds.

use std::fs;
use std::path::Path;

use compiled::INTERPRETED;
use jive_build::Options;
use jive_core::{Disassembly, instructions};
use jive_embed::load;
use nic_core::sle::NicNative;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Returns the listing of methods of `RawUnet`, and their printed code.
fn shown() -> String {
    let loaded = load(applets::RAW_UNET.class, NicNative::TABLE).unwrap();
    let class = loaded.linked().class;
    let printed = Options::new()
        .natives(NicNative::TABLE)
        .print(Path::new("RawUnet.class"), applets::RAW_UNET.class)
        .unwrap();
    let (mut listing, mut code) = (String::new(), String::new());
    for name in ["doTx", "reserve"] {
        let method = class.methods().find(|method| method.name == name).unwrap();
        listing += &format!("{name}{}\n", method.descriptor);
        for insn in instructions(method.code().unwrap().bytes) {
            let insn = insn.unwrap();
            let line = format!("{:4}: {}", insn.pc.0, Disassembly::new(insn, class));
            listing += &format!("{}\n", line.trim_end());
        }
        let head = format!("fn m{}<", method.id);
        let start = printed.text.find(&head).unwrap();
        let end = printed.text[start..].find("\n}\n").unwrap();
        code += &printed.text[start..start + end + 3];
    }
    format!("```text\n{listing}```\n\n```rust\n{code}```\n")
}

#[test]
fn the_document_shows_what_is_printed() {
    let path = root().join("docs/compiled.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, behind) = text.split_once("<!-- RawUnet -->\n").unwrap();
    let (_, behind) = behind.split_once("<!-- end -->").unwrap();
    let fresh = format!("{before}<!-- RawUnet -->\n{}<!-- end -->{behind}", shown());
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &fresh).unwrap();
    }
    assert_eq!(
        text, fresh,
        "BLESS=1 cargo test -p compiled --test documentation"
    );
}

#[test]
fn the_example_is_the_program_of_the_document() {
    let text = fs::read_to_string(root().join("docs/compiled.md")).unwrap();
    let blocks: Vec<&str> = text
        .split("```rust\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    for file in ["build.rs", "src/main.rs"] {
        let path = root().join("jive-build/example").join(file);
        let program = fs::read_to_string(path).unwrap();
        assert!(blocks.contains(&&*program), "{file}");
    }
}

#[test]
fn every_method_of_the_tree_is_compiled_but_those_made_to_be_irreducible() {
    let expected = (
        "tests/compiled/classes/TwoEntrances.jasm",
        "loop",
        "a loop of the method has several entrances",
    );
    // A generated class is named by its seed, whose words are separated by spaces. Among many are some with such loops.
    let of_tree = INTERPRETED
        .iter()
        .filter(|(class, ..)| !class.contains(' '));
    let of_tree: Vec<_> = of_tree.copied().collect();
    assert_eq!(of_tree, [expected]);
}
