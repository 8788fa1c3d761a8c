//! Prints every class of the tree that passes verification, and generated classes, into one module each.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use jive_build::Options;
use jive_core::ClassFile;
use jive_embed::{Policy, verify_class};
use jive_lab::Random;
use jive_lab::asm::assemble;
use jive_lab::generate::{Kind, Smith};
use nic_core::sle::NicNative;

/// Where classes and fixtures are, from the root of the tree.
const FOLDERS: [&str; 10] = [
    "applets/class",
    "tests/java/class",
    "tests/java/assembled",
    "tests/java/compilers",
    "tests/compiled/classes",
    "tests/fixtures/accept",
    "bench/kernels/class",
    "jive-core/tests/classes",
    "jive-embed/examples",
    "nic-runtime/tests/classes",
];

/// The folders of classes that are also printed without an interpreter, and how many generated classes of each kind.
const STANDALONE: [&str; 3] = [
    "applets/class",
    "tests/java/class",
    "tests/compiled/classes",
];
const STANDALONE_GENERATED: usize = 3;

/// Number of generated classes of each kind.
const GENERATED: usize = 12;

/// How many calls can be nested without an interpreter.
const STANDALONE_CALLS: usize = 6;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=JIVE_RUNS");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut classes: Vec<(String, Vec<u8>)> = Vec::new();
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
        let mut files = Vec::new();
        find(&root.join(folder), &mut files);
        files.sort();
        for file in files {
            let name = file.strip_prefix(&root).unwrap().display().to_string();
            if name.ends_with(".class") {
                classes.push((name, fs::read(&file).unwrap()));
            } else if name.ends_with(".jasm") {
                let source = fs::read_to_string(&file).unwrap();
                if let Ok(assembled) = assemble(&name, &source) {
                    classes.push((name, assembled.bytes));
                }
            }
        }
    }
    let smith = Smith::new(Vec::new());
    let times = env::var("JIVE_RUNS")
        .ok()
        .and_then(|runs| runs.parse().ok());
    for kind in [Kind::Program, Kind::Typed, Kind::Constructor] {
        for number in 0..GENERATED * times.unwrap_or(1) {
            // The number comes last, so that it can be read again.
            let seed = format!("{} {number}", kind.name());
            let class = smith.class(kind, &mut Random::new(seed.as_bytes()));
            classes.push((seed, class));
        }
    }
    let mut seen = HashSet::new();
    classes.retain(|(_, bytes)| seen.insert(bytes.clone()));
    let (mut text, mut list, mut count, mut interpreted) =
        (String::new(), String::new(), 0, String::new());
    let (mut standalone, mut standalone_count) = (String::new(), 0);
    for (name, bytes) in &classes {
        let mut index = vec![0; ClassFile::index_len(bytes)];
        let Ok(class) = ClassFile::parse(bytes, &mut index) else {
            continue;
        };
        let Ok(verified) = verify_class(class, Policy::ClassOnly, NicNative::TABLE, &mut ()) else {
            continue;
        };
        let printed = Options::new().print_verified(&verified);
        let printed = printed.unwrap_or_else(|error| panic!("{name}: {error}"));
        let module = &printed.module;
        for (method, reason) in printed.interpreted {
            let _ = writeln!(
                interpreted,
                "    ({name:?}, {method:?}, {:?}),",
                reason.to_string()
            );
        }
        let file = Path::new(&env::var("OUT_DIR").unwrap()).join(format!("p{count}.class"));
        fs::write(&file, bytes).unwrap();
        let _ = writeln!(text, "pub(crate) mod p{count} {{\n{}}}", printed.text);
        let _ = writeln!(
            list,
            "    Class {{ name: {name:?}, bytes: include_bytes!({file:?}), program: &p{count}::{module}::PROGRAM, \
             call: jive_core::compiled::call::<p{count}::{module}::Code, Mock>, \
             start: jive_core::compiled::start::<p{count}::{module}::Code, Mock>, \
             run: jive_core::compiled::run::<p{count}::{module}::Code, Mock> }},"
        );
        if name.ends_with("/Suspended.jasm") {
            let _ = writeln!(text, "pub use p{count}::{module}::Code as SuspendedCode;");
        }
        let number = name.rsplit(' ').next().and_then(|it| it.parse().ok());
        let is_chosen = STANDALONE.iter().any(|folder| name.starts_with(folder))
            || number.is_some_and(|number: usize| number < STANDALONE_GENERATED);
        let options = Options::new()
            .nested_calls(STANDALONE_CALLS)
            .without_interpreter();
        let printed = options.print_verified(&verified).ok();
        if let Some(printed) = printed.filter(|it| is_chosen && it.interpreted.is_empty()) {
            let module = &printed.module;
            let _ = writeln!(text, "pub(crate) mod s{count} {{\n{}}}", printed.text);
            let _ = writeln!(
                standalone,
                "    Standalone {{ class: &CLASSES[{count}], program: &s{count}::{module}::PROGRAM, \
                 names: (s{count}::{module}::NAME, s{count}::{module}::METHOD_NAMES), line: s{count}::{module}::line, \
                 call: jive_core::compiled::call_standalone::<s{count}::{module}::Code, Mock> }},"
            );
            standalone_count += 1;
        }
        count += 1;
    }
    let _ = writeln!(
        text,
        "/// Every printed class.\npub static CLASSES: [Class; {count}] = [\n{list}];\n\n\
         /// Classes that are printed without an interpreter as well.
         pub static STANDALONES: [Standalone; {standalone_count}] = [\n{standalone}];\n\n\
         /// How many calls of these can be nested.
         pub const STANDALONE_CALLS: usize = {STANDALONE_CALLS};\n\n\
         /// The methods that stay interpreted: class, method and reason.\n\
         pub static INTERPRETED: &[(&str, &str, &str)] = &[\n{interpreted}];"
    );
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    fs::write(out.join("printed.rs"), text).unwrap();
    // Two classes as a user compiles them.
    let filter = root.join("jive-embed/examples/Filter.class");
    jive_build::compile(filter).unwrap_or_else(|error| panic!("{error}"));
    // The same class without an interpreter, in a module of another name.
    let bytes = fs::read(root.join("jive-embed/examples/Filter.class")).unwrap();
    let options = Options::new()
        .heap_bytes(1024)
        .nested_calls(4)
        .without_interpreter();
    let printed = options.print(Path::new("Filter.class"), &bytes);
    let printed = printed.unwrap_or_else(|error| panic!("{error}"));
    fs::write(out.join("standalone_filter.rs"), printed.text).unwrap();
    let source = fs::read_to_string("classes/Arrays.jasm").unwrap();
    let arrays = out.join("Arrays.class");
    let assembled = assemble("Arrays.jasm", &source).unwrap_or_else(|error| panic!("{error}"));
    // Written only if it changed, because the build script depends on it.
    if fs::read(&arrays).ok().as_deref() != Some(&assembled.bytes) {
        fs::write(&arrays, assembled.bytes).unwrap();
    }
    let options = Options::new().heap_bytes(256).nested_calls(4).fuel(1_000);
    options
        .compile(arrays)
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Lists the files of a folder and of its folders.
fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, files);
        } else {
            files.push(path);
        }
    }
}
