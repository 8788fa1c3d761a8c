//! Tests code that has several lowered forms: branches late in a long class, comparisons near the limit of a near
//! branch, switches of all sizes.

use std::fmt::Write;

use jive_core::{Lifetime, NoNatives, TrapKind};
use jive_lab::asm::assemble;
use jive_verifier::Policy;
use tests::machine::{Room, machine};
use tests::random::Random;

/// Number of consecutive additions in a method, as many as the method's branches can skip.
const ADDITIONS: usize = 19_000;

/// Number of methods with [`ADDITIONS`] additions whose ops exceed the op numbers of a near branch.
const LONG: usize = 4;

/// Calls methods of a class, and returns the result and the number of executed instructions of each call.
fn calls(source: &str, calls: &[(&str, Vec<i32>)]) -> Vec<(i32, u64)> {
    let bytes = assemble("lowering", source)
        .expect("it is well-formed")
        .bytes;
    machine(&bytes, Policy::ClassOnly, &[], Room::default(), |machine| {
        let call = |(method, arguments): &(&str, Vec<i32>)| {
            let id = machine.method(method);
            let result = machine.call(id, arguments, Lifetime::PerCall, &mut NoNatives);
            let value = result.expect("it does not trap").expect("it is an int");
            (value, machine.stack.executed())
        };
        calls.iter().map(call).collect()
    })
    .expect("it is accepted")
}

/// Computes the expected result of [`asking`], in the order of its branches.
fn asked(a: i32, b: i32) -> i32 {
    let holds = [
        a == 0,
        a != 0,
        a < 0,
        a >= 0,
        a > 0,
        a <= 0,
        a == b,
        a != b,
        a < b,
        a >= b,
        a > b,
        a <= b,
        a < 1000,
        a >= -1000,
        a == 7,
    ];
    let bits = holds.iter().enumerate();
    bits.map(|(bit, &holds)| i32::from(holds) << bit).sum()
}

/// Returns a method that uses every kind of branch condition, followed by a loop that counts down.
fn asking(name: &str) -> String {
    let single = ["ifeq", "ifne", "iflt", "ifge", "ifgt", "ifle"];
    let pair = ["eq", "ne", "lt", "ge", "gt", "le"].map(|test| format!("iload_1\n if_icmp{test}"));
    let constants = [
        "sipush 1000\n if_icmplt",
        "sipush -1000\n if_icmpge",
        "bipush 7\n if_icmpeq",
    ];
    let tests = single.into_iter().map(str::to_owned).chain(pair);
    let tests = tests.chain(constants.map(str::to_owned));
    let mut source = format!(".method static {name}(II)I stack 2 locals 4\n iconst_0\n istore_2\n");
    for (bit, test) in tests.enumerate() {
        writeln!(
            source,
            " iload_0\n {test} holds{bit}\n goto next{bit}\nholds{bit}:\n iload_2\n ldc {}\n ior\n istore_2\nnext{bit}:",
            1 << bit
        )
        .expect("a string takes any text");
    }
    source
        + " bipush 9\n istore_3\nagain:\n iload_3\n ifle done\n iinc 3 -1\n goto again\ndone:\n iload_2\n ireturn\n"
}

#[test]
fn late_branches_work_like_early_ones() {
    let mut source = format!(".class super Late\n{}", asking("early"));
    for long in 0..LONG {
        writeln!(source, ".method static long{long}(I)I stack 1 locals 1").expect("it takes it");
        source.push_str(&" iinc 0 1\n".repeat(ADDITIONS));
        source.push_str(" iload_0\n ireturn\n");
    }
    source.push_str(&asking("late"));
    let values = [i32::MIN, -1001, -1000, -1, 0, 1, 7, 999, 1000, i32::MAX];
    let pairs = values.iter().flat_map(|&a| values.map(|b| vec![a, b]));
    let list: Vec<_> = pairs
        .flat_map(|pair| [("early", pair.clone()), ("late", pair)])
        .collect();
    let found = calls(&source, &list);
    for (call, found) in list.chunks(2).zip(found.chunks(2)) {
        let (_, arguments) = &call[0];
        assert_eq!(
            found[0].0,
            asked(arguments[0], arguments[1]),
            "{arguments:?}"
        );
        assert_eq!(found[0], found[1], "{arguments:?}");
    }
}

#[test]
fn comparisons_reach_equally_far() {
    // Skip numbers of instructions around the limits of a one-byte distance, forwards and backwards.
    let lengths = [0, 1, 39, 40, 41, 42, 43, 117, 118, 119, 120, 121, 200];
    // Compare with a bound that fits a near branch, a bound that fits any branch, and a bound in a local variable.
    let bounds = [("sipush 300", 100), ("bipush 3", 1), ("iload_2", 100)];
    for (passed, (bound, step)) in lengths
        .into_iter()
        .flat_map(|length| bounds.map(|bound| (length, bound)))
    {
        let source = format!(
            ".class super Near\n.method static run(I)I stack 2 locals 3\n sipush 300\n istore_2\n iconst_0\n istore_1\n\
             top:\n iload_1\n {bound}\n if_icmpge done\n iload_0\n sipush 1000\n if_icmplt over\n{}\
             over:\n iinc 1 {step}\n goto top\ndone:\n iload_0\n ireturn\n",
            " iinc 0 1\n".repeat(passed)
        );
        let passed = i32::try_from(passed).expect("a short list");
        let values = [i32::MIN, -1, 999, 1000, 5000];
        let list: Vec<_> = values.iter().map(|&value| ("run", vec![value])).collect();
        for (value, found) in values.into_iter().zip(calls(&source, &list)) {
            // The loop makes three rounds, which execute the skipped instructions if the value is not less than 1000.
            let added = if value < 1000 { 0 } else { 3 * passed };
            let executed = 4 + 3 * 8 + added + 3 + 2;
            let expected = (value + added, u64::try_from(executed).expect("a sum"));
            assert_eq!(found, expected, "{value} {passed} {bound}");
        }
    }
}

/// Returns a method that loads its key in a given way, and whose switch finds the group of the key. In the switch,
/// `group` consecutive keys form a group. The method returns -1 for a key that is in no group.
fn searching((name, taken): (&str, &str), keys: &[i32], group: usize, is_table: bool) -> String {
    let mut source = format!(".method static {name}(I)I stack 2 locals 1\n{taken}");
    if is_table {
        write!(source, " tableswitch {}:", keys[0]).expect("a string takes any text");
    } else {
        source.push_str(" lookupswitch");
    }
    for (at, key) in keys.iter().enumerate() {
        if !is_table {
            write!(source, " {key}:").expect("a string takes any text");
        }
        write!(source, " case{}", at / group).expect("a string takes any text");
    }
    source.push_str(" default: none\n");
    for at in 0..keys.len().div_ceil(group) {
        writeln!(source, "case{at}:\n ldc {at}\n ireturn").expect("a string takes any text");
    }
    source + "none:\n iconst_m1\n ireturn\n"
}

#[test]
fn switches_of_every_size_find_their_cases() {
    let mut random = Random::new(5);
    for round in 0..120 {
        let count = round % 24 + usize::from(round % 2 == 0);
        let is_table = round % 2 == 0;
        // Choose keys that are close to each other, or that are spread over the whole range.
        let span = [8, 200, 100_000, u64::from(u32::MAX)][round / 24 % 4];
        let mut keys: Vec<i32> = if is_table {
            let low = [-3, 0, 120, -1000, i32::MIN, i32::MAX - 30][round % 6];
            (0..count)
                .map(|at| low + i32::try_from(at).expect("few"))
                .collect()
        } else {
            let offset = i64::try_from(random.below(span)).expect("below 2^32");
            let key = |random: &mut Random| {
                let key = i64::try_from(random.below(span + 1)).expect("below 2^33") - offset;
                i32::try_from(key.clamp(i32::MIN.into(), i32::MAX.into())).expect("clamped")
            };
            (0..count).map(|_| key(&mut random)).collect()
        };
        if round % 5 == 0 && !is_table {
            keys.extend([i32::MIN, i32::MAX]);
        }
        keys.sort_unstable();
        keys.dedup();
        let group = 1 + round % 3;
        // Load the key from a local variable, or compute it just before the switch.
        let taken = [
            ("find", " iload_0\n"),
            ("compute", " iload_0\n iconst_1\n ixor\n iconst_1\n ixor\n"),
        ];
        let methods = taken.map(|taken| searching(taken, &keys, group, is_table));
        let source = format!(".class super Search\n{}", methods.concat());
        let near = keys
            .iter()
            .flat_map(|key| [key.wrapping_sub(1), *key, key.wrapping_add(1)]);
        let asked: Vec<i32> = near.chain([i32::MIN, -1, 0, 1, i32::MAX]).collect();
        for (method, executed) in [("find", 4), ("compute", 8)] {
            let list: Vec<_> = asked.iter().map(|&key| (method, vec![key])).collect();
            for (key, found) in asked.iter().zip(calls(&source, &list)) {
                let at = keys.binary_search(key);
                let expected = at.map_or(-1, |at| i32::try_from(at / group).expect("few"));
                assert_eq!(found, (expected, executed), "{key} among {keys:?}");
            }
        }
    }
}

#[test]
fn a_variable_that_was_stored_to_itself_is_counted() {
    // After two loads of a variable, two stores write to the same variable; the second store copies the variable to
    // itself.
    let source = ".class super Own\n.method static run(I)I stack 2 locals 1\n iload_0\n iload_0\n \
                  istore_0\n istore_0\n iinc 0 1\n iload_0\n ireturn\n";
    assert_eq!(calls(source, &[("run", vec![5])]), [(6, 7)]);
}

#[test]
fn loop_with_empty_head_ignores_earlier_classes() {
    // The class that used the memory first has a branch on register 0 at every position among the first ops.
    let branches = format!(
        ".class super Branches\n.method static run(I)I stack 1 locals 1\n{}out:\n iconst_0\n ireturn\n",
        " iload_0\n ifne out\n".repeat(40)
    );
    // The code after the loop at `spin` expects an array in local variable 1, but no path from `spin` leads to this
    // code.
    for head in ["", " nop\n"] {
        let spinning = format!(
            ".class super Spinning\n.method static run(I)I stack 3 locals 2\n iload_0\n ifeq number\n \
             iload_0\n newarray int\n astore_1\n aload_1\n iconst_0\n bipush 42\n iastore\n goto use\n\
             number:\n bipush 8\n istore_1\nspin:\n{head} goto spin\n\
             use:\n aload_1\n iconst_0\n iaload\n ireturn\n"
        );
        let classes = [branches.as_str(), &spinning].map(|source| {
            assemble("spinning", source)
                .expect("it is well-formed")
                .bytes
        });
        let room = Room::default();
        // `machine` lends the memory of the first class again to the second class.
        machine(&classes[0], Policy::ClassOnly, &[], room, |_| ()).expect("it is accepted");
        let spun = machine(&classes[1], Policy::ClassOnly, &[], room, |machine| {
            let run = machine.method("run");
            let mut call = |argument| {
                let lifetime = Lifetime::Persistent;
                machine.call(run, &[argument], lifetime, &mut NoNatives)
            };
            // The reference to the array is 8, the first address in the heap.
            assert_eq!(call(1), Ok(Some(42)));
            let trap = call(0).expect_err("the loop has no end");
            assert_eq!(trap.kind, TrapKind::FuelExhausted);
        });
        assert_eq!(spun, Ok(()));
    }
}

#[test]
fn loaded_values_do_not_change() {
    // The first local variable is 7 and the field is 11 when a value is loaded; then an instruction changes one of
    // them.
    let loads = [
        ("iload_0", 7),
        ("iload_0\n iconst_3\n iadd", 10),
        ("iload_0\n bipush -9\n iadd", -2),
        ("iload_0\n iconst_2\n isub", 5),
        ("iinc 0 1\n iload_0\n iinc 0 -1", 8),
        ("getstatic field:I", 11),
        ("getstatic field:I\n iconst_1\n iadd", 12),
    ];
    let changes = [
        ("iinc 0 5", 12, 11),
        ("iinc 0 -128", -121, 11),
        ("bipush 40\n istore_0", 40, 11),
        ("iload_0\n iconst_5\n iadd\n istore_0", 12, 11),
        ("getstatic field:I\n istore_0", 11, 11),
        ("bipush 40\n putstatic field:I", 7, 40),
        ("iload_0\n putstatic field:I", 7, 7),
        ("iconst_1\n invokestatic change(I)V", 7, 40),
    ];
    let mut source = String::from(
        ".class super Put\n.field static field I\n.method static change(I)V stack 1 locals 1\n bipush 40\n \
         putstatic field:I\n return\n",
    );
    let mut expected = Vec::new();
    for (first, (load, loaded)) in loads.iter().enumerate() {
        for (second, (change, local, field)) in changes.iter().enumerate() {
            writeln!(
                source,
                ".method static run{first}x{second}(I)I stack 5 locals 1\n bipush 11\n putstatic field:I\n {load}\n \
                 {load}\n {change}\n sipush 1000\n imul\n iadd\n iload_0\n ldc 1000000\n imul\n iadd\n \
                 getstatic field:I\n ldc 100000000\n imul\n iadd\n ireturn"
            )
            .expect("a string takes any text");
            // Compute with wrapping arithmetic, as Java does.
            let field = 100_000_000_i32.wrapping_mul(*field);
            let value = (loaded * 1001 + local * 1_000_000_i32).wrapping_add(field);
            expected.push((format!("run{first}x{second}"), value));
        }
    }
    let list: Vec<_> = expected
        .iter()
        .map(|(name, _)| (name.as_str(), vec![7]))
        .collect();
    for ((name, value), (found, _)) in expected.iter().zip(calls(&source, &list)) {
        assert_eq!(found, *value, "{name}");
    }
}

/// Ways to push an index, with the index.
const INDICES: [(&str, i32); 8] = [
    ("iconst_m1", -1),
    ("iconst_0", 0),
    ("iconst_2", 2),
    ("iconst_3", 3),
    ("sipush 300", 300),
    ("iload_1", 9),
    ("iload_1\n bipush -7\n iadd", 2),
    ("iload_1\n iconst_1\n iadd", 10),
];

/// Accesses an array of this length, or `null`, at each index and in each way, and returns the trap of each access.
fn reach(kind: &str, length: Option<i32>, is_field: bool) -> Vec<(String, i32, Option<TrapKind>)> {
    let prefix = kind.chars().next().expect("kinds have names");
    let array = format!("[{}", prefix.to_ascii_uppercase());
    let make = match length {
        None => "aconst_null".to_owned(),
        Some(length) => format!("iconst_{length}\n newarray {kind}"),
    };
    let (keep, load) = match is_field {
        true => (
            format!("putstatic field:{array}"),
            format!("getstatic field:{array}"),
        ),
        false => ("astore_0".to_owned(), "aload_0".to_owned()),
    };
    // Store a constant, a local variable that is 0, or a local variable that is not 0.
    let ways = [
        format!("{prefix}aload\n pop"),
        format!("iconst_0\n {prefix}astore"),
        format!("iload_2\n {prefix}astore"),
        format!("iload_1\n {prefix}astore"),
    ];
    let mut source = format!(".class super Reach\n.field static field {array}\n");
    let mut list = Vec::new();
    for (index, at) in INDICES {
        for way in &ways {
            writeln!(
                source,
                ".method static run{}()V stack 3 locals 3\n {make}\n {keep}\n bipush 9\n istore_1\n iconst_0\n \
                 istore_2\n {load}\n {index}\n {way}\n return",
                list.len()
            )
            .expect("a string takes any text");
            list.push((format!("{load} {index} {way}"), at));
        }
    }
    let bytes = assemble("reach", &source).expect("it is well-formed").bytes;
    machine(&bytes, Policy::ClassOnly, &[], Room::default(), |machine| {
        let calls = list.into_iter().enumerate().map(|(number, (what, at))| {
            let id = machine.method(&format!("run{number}"));
            let result = machine.call(id, &[], Lifetime::Persistent, &mut NoNatives);
            (what, at, result.err().map(|trap| trap.kind))
        });
        calls.collect()
    })
    .expect("it is accepted")
}

#[test]
fn access_to_a_missing_element_traps() {
    for (kind, is_field) in ["byte", "short", "int"]
        .into_iter()
        .flat_map(|kind| [(kind, false), (kind, true)])
    {
        for (what, _, trap) in reach(kind, None, is_field) {
            assert_eq!(trap, Some(TrapKind::NullPointerException), "{what}");
        }
        for (what, at, trap) in reach(kind, Some(3), is_field) {
            let is_there = (0..3).contains(&at);
            let expected = (!is_there).then_some(TrapKind::ArrayIndexOutOfBoundsException);
            assert_eq!(trap, expected, "{what}");
        }
    }
}
