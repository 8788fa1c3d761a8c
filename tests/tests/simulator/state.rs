//! Fields that a scenario sets, in classes that fill the constant pool, to which the simulator adds further constants.

use nic_runtime::Run;
use std::fmt::Write as _;
use std::fs;

use jive_core::limits::CONSTANTS_MAX;
use jive_lab::asm::assemble;
use nic_runtime::scenario::parse;

/// A static field of each type that a scenario can set, and the instructions that make a value of the type.
const FIELDS: [(&str, &str, &str); 8] = [
    ("aByte", "B", "iconst_5"),
    ("aShort", "S", "iconst_5"),
    ("anInt", "I", "iconst_5"),
    ("aBoolean", "Z", "iconst_0"),
    ("bytes", "[B", "iconst_5\nnewarray byte"),
    ("shorts", "[S", "iconst_5\nnewarray short"),
    ("ints", "[I", "iconst_5\nnewarray int"),
    ("booleans", "[Z", "iconst_5\nnewarray boolean"),
];

/// Returns an applet that stores twice to each field, with `unused` constants that no instruction uses.
fn applet(unused: usize) -> Vec<u8> {
    let mut text = String::from(".field static RxBuf [B\n");
    let mut initializer = String::new();
    for (name, kind, value) in FIELDS {
        let _infallible = writeln!(text, ".field static {name} {kind}");
        for _ in 0..2 {
            let _infallible = writeln!(initializer, "{value}\nputstatic {name}:{kind}");
        }
    }
    for number in 0..unused {
        let _infallible = writeln!(text, ".constant c{number} bytes 03 00000000");
    }
    let _infallible = write!(
        text,
        ".method static <clinit>()V stack 2 locals 0\n{initializer}return\n\
         .method static doTx(III)I stack 1 locals 3\niconst_0\nireturn\n\
         .method static doRx(II)I stack 1 locals 2\niconst_0\nireturn\n"
    );
    let assembled = assemble("applet", &text);
    assembled.unwrap_or_else(|error| panic!("{error:?}")).bytes
}

/// Returns the number of constants of a class file (JVMS §4.1).
fn constants(class: &[u8]) -> u16 {
    u16::from_be_bytes([class[8], class[9]])
}

/// Runs a scenario that sets all fields, and returns the final values of the first four fields, or the scenario's
/// mistakes.
fn run(class: &[u8]) -> Result<Vec<i32>, String> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("A.class"), class).expect("it can be written");
    let toml = "[[nic]]\nname = 'n'\n[[endpoint]]\nnic = 'n'\nname = 'e'\napplet = 'A.class'\n\
                state = { aByte = 1, aShort = 2, anInt = 3, aBoolean = true, bytes = [4], shorts = [5], ints = [6], \
                booleans = [true] }\n";
    let scenario = parse(toml.as_bytes(), Some(directory.path()), None);
    let scenario = scenario.map_err(|error| format!("{error:?}"))?;
    let (_, states) = Run::new(&scenario)
        .keep_states()
        .execute()
        .map_err(|error| format!("{error:?}"))?
        .end_and_states();
    let applet = states[0].applet.as_ref().expect("it has an applet");
    // Leave out the first field of the applet, which is `RxBuf`.
    Ok(applet.fields[1..=4].to_vec())
}

#[test]
fn class_without_room_for_constants_is_refused() {
    // To set the fields, the simulator adds 7 constants, and 3 for each of nine fields.
    let room = CONSTANTS_MAX - 7 - 3 * 9;
    let without = constants(&applet(0));
    let unused = usize::from(room - without);
    assert_eq!(constants(&applet(unused)), room);
    // The first store to each field is ignored, but the second store is not.
    assert_eq!(run(&applet(unused)), Ok(vec![5, 5, 5, 0]));
    let refused = run(&applet(unused + 1)).expect_err("the class is full");
    let expected = format!(
        "StateConstants {{ constants: {}, limit: {room} }}",
        room + 1
    );
    assert!(refused.contains(&expected), "{refused}");
}
