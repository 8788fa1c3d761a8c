//! What `jive-build` does not compile: classes that are refused, and methods that stay interpreted.

use std::fmt::Write as _;
use std::path::Path;

use jive_build::{BuildError, Interpreted, Options, Printed};
use jive_lab::asm::assemble;

fn printed(source: &str) -> Printed {
    let class = assemble("Test.jasm", source).unwrap_or_else(|error| panic!("{error}"));
    let printed = Options::new().print(Path::new("Test.class"), &class.bytes);
    printed.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_class_that_is_refused_is_an_error_with_its_diagnosis() {
    let refused = |bytes: &[u8]| {
        let error = Options::new().print(Path::new("Test.class"), bytes);
        match error {
            Err(BuildError::Refused { diagnosis }) => diagnosis,
            other => panic!("{other:?}"),
        }
    };
    assert!(refused(b"no class file").contains("malformed/magic"));
    let source = ".method static run()I stack 2 locals 0\n    iconst_1\n    iadd\n    ireturn\n";
    let unsafe_class = assemble("Test.jasm", source).unwrap().bytes;
    assert!(refused(&unsafe_class).contains("unsafe/stack-underflow"));
    let whole = assemble("Test.jasm", ".class A\n").unwrap().bytes;
    for end in 0..whole.len() {
        refused(&whole[..end]);
    }
}

#[test]
fn a_file_that_is_missing_is_an_error() {
    let error = jive_build::compile("no/such/Test.class").unwrap_err();
    assert!(matches!(error, BuildError::Read { .. }), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("cannot read no/such/Test.class")
    );
}

#[test]
fn a_loop_of_two_entrances_stays_interpreted() {
    let source = include_str!("../../tests/compiled/classes/TwoEntrances.jasm");
    let printed = printed(source);
    let expected = ("loop".to_owned(), Interpreted::Irreducible);
    assert_eq!(printed.interpreted, [expected]);
    // Methods that call it are printed, and leave at the call.
    assert!(!printed.text.contains("fn m0<") && printed.text.contains("fn m1<"));
    assert!(!printed.text.contains("m0(run"));
}

#[test]
fn a_class_that_needs_the_interpreter_is_refused_without_it() {
    let source = include_str!("../../tests/compiled/classes/TwoEntrances.jasm");
    let class = assemble("Test.jasm", source).unwrap().bytes;
    let options = Options::new().without_interpreter();
    match options.print(Path::new("Test.class"), &class) {
        Err(error @ BuildError::NeedsInterpreter { .. }) => assert_eq!(
            error.to_string(),
            "`loop` needs the interpreter: a loop of the method has several entrances"
        ),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_method_of_64_kib_stays_interpreted() {
    let mut source = ".class A\n.method static run(I)I stack 1 locals 1\n".to_owned();
    for _ in 0..21_000 {
        source.push_str("    iinc 0 1\n");
    }
    source.push_str("    iload_0\n    ireturn\n");
    let printed = printed(&source);
    let [(name, Interpreted::TooLong(ops))] = &printed.interpreted[..] else {
        panic!("{:?}", printed.interpreted);
    };
    assert!(name == "run" && *ops > 20_000);
}

#[test]
fn blocks_that_are_nested_too_deep_stay_interpreted() {
    let nested = |loops: u32| {
        let mut source = ".class A\n.method static run(I)I stack 2 locals 1\n".to_owned();
        for number in 0..loops {
            let _ = writeln!(source, "l{number}:\n    iinc 0 -1");
        }
        for number in (0..loops).rev() {
            let _ = writeln!(source, "    iload_0\n    ifgt l{number}");
        }
        source.push_str("    iload_0\n    ireturn\n");
        printed(&source).interpreted
    };
    assert_eq!(nested(40), []);
    assert_eq!(nested(400), [("run".to_owned(), Interpreted::TooDeep)]);
}
