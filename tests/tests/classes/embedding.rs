//! Properties that a program can rely on if it embeds JIVE through `jive_embed::load`.

use jive_core::{ArrayKind, NoNatives, TrapKind};
use jive_embed::{CallError, Instance, Limits, LoadedClass, Value, load};
use jive_lab::asm::assemble;

const METHODS: &str = "
.class public super Embedded
.omit doTx doRx RxBuf
.source Embedded.java
.field private count I

.method static element([BI)I stack 2 locals 2
    aload_0
    iload_1
    baload
    ireturn

.method static sum(II)I stack 2 locals 2
    iload_0
    iload_1
    iadd
    ireturn

.method static divide(I)I stack 2 locals 1
    iconst_1
    iload_0
    idiv
    ireturn

.method static spin()V stack 0 locals 0
again:
    goto again

.method static same([S)[S stack 1 locals 1
    aload_0
    areturn

.method static fresh()[B stack 1 locals 0
    iconst_3
    newarray byte
    areturn

.method count()I stack 3 locals 1
    aload_0
    aload_0
    getfield count:I
    iconst_1
    iadd
    putfield count:I
    aload_0
    getfield count:I
    ireturn

.method self()LEmbedded; stack 1 locals 1
    aload_0
    areturn
";

fn class() -> LoadedClass {
    let assembled = assemble("Embedded", METHODS).expect("the source is right");
    load(&assembled.bytes, &[]).expect("the class is safe")
}

fn instance(class: &LoadedClass) -> Instance<'_, NoNatives> {
    let limits = Limits {
        heap_bytes: 256,
        nested_calls: 4,
        fuel: 100,
    };
    class
        .instantiate(limits, NoNatives)
        .expect("it has no constructor that traps")
}

#[test]
fn methods_are_called_by_name() {
    let class = class();
    let mut embedded = instance(&class);
    assert_eq!(class.name(), "Embedded");
    let array = embedded.bytes_from(&[5, 0xff]).expect("there is room");
    let of_array = [Value::Array(array), Value::Int(1)];
    assert_eq!(
        embedded.call("element", &of_array),
        Ok(Some(Value::Int(-1)))
    );
    let of_ints = [Value::Int(2), Value::Int(3)];
    assert_eq!(embedded.call("sum", &of_ints), Ok(Some(Value::Int(5))));
    for missing in ["product", "sum(II)I", "<init>", ""] {
        let error = CallError::NoMethod {
            class: "Embedded".to_owned(),
            method: missing.to_owned(),
        };
        assert_eq!(embedded.call(missing, &[]), Err(error));
    }
}

#[test]
fn arguments_are_held_to_the_parameters() {
    let class = class();
    let mut embedded = instance(&class);
    let bytes = embedded.bytes_from(&[1]).expect("there is room");
    let shorts = embedded
        .new_array(ArrayKind::Short, 2)
        .expect("there is room");
    let same = [Value::Array(shorts)];
    assert_eq!(embedded.call("same", &same), Ok(Some(same[0])));
    assert_eq!(embedded.call("same", &[Value::Null]), Ok(Some(Value::Null)));
    let wrong: [&[Value]; 5] = [
        &[],
        &[Value::Int(4)],
        &[Value::This],
        &[Value::Array(bytes)],
        &[Value::Null, Value::Null],
    ];
    for found in wrong {
        let error = CallError::Arguments {
            method: "same([S)[S".to_owned(),
            found: found.to_vec(),
        };
        assert_eq!(embedded.call("same", found), Err(error));
    }
    // Pass a reference of one instance to another instance, whose heap has no array at that address.
    let mut other = instance(&class);
    assert!(matches!(
        other.call("same", &same),
        Err(CallError::Arguments { .. })
    ));
}

#[test]
fn fields_outlive_a_call_and_its_arrays_do_not() {
    let class = class();
    let mut embedded = instance(&class);
    for count in 1..50 {
        assert_eq!(embedded.call("count", &[]), Ok(Some(Value::Int(count))));
        assert_eq!(embedded.int_field("count"), Some(count));
        // The array of each call must end with the call, because the arrays of all calls would fill the heap.
        let error = CallError::TransientResult {
            method: "fresh()[B".to_owned(),
        };
        assert_eq!(embedded.call("fresh", &[]), Err(error));
    }
    assert_eq!(embedded.call("self", &[]), Ok(Some(Value::This)));
    assert_eq!(embedded.int_field("sum"), None);
    assert_eq!(
        embedded.new_array(ArrayKind::Int, 64),
        Err(TrapKind::OutOfMemoryError)
    );
}

#[test]
fn a_field_of_a_shared_name_is_read_by_its_type() {
    let shared = METHODS.replace(
        ".field private count I\n",
        ".field private count S\n.field private count I\n.field private count [B\n.field private one I\n",
    );
    let assembled = assemble("Embedded", &shared).expect("the source is right");
    let class = load(&assembled.bytes, &[]).expect("the class is safe");
    let mut embedded = instance(&class);
    assert_eq!(embedded.call("count", &[]), Ok(Some(Value::Int(1))));
    for (name, expected) in [
        ("count:I", Some(1)),
        ("count:S", Some(0)),
        ("one", Some(0)),
        ("one:I", Some(0)),
        // Three fields have the name, one is an array, and none has the other types.
        ("count", None),
        ("count:[B", None),
        ("count:B", None),
        ("one:S", None),
        ("two", None),
    ] {
        assert_eq!(embedded.int_field(name), expected, "{name}");
    }
}

#[test]
fn instance_stays_usable_after_a_trap() {
    let class = class();
    let mut embedded = instance(&class);
    let kind = |result| match result {
        Err(CallError::Trap { trap }) => (trap.trap.kind, trap.to_string()),
        other => panic!("{other:?}"),
    };
    let (found, shown) = kind(embedded.call("divide", &[Value::Int(0)]));
    assert_eq!(found, TrapKind::ArithmeticException);
    assert_eq!(shown, "ArithmeticException in divide(I)I at pc 2");
    let (found, shown) = kind(embedded.call("spin", &[]));
    assert_eq!(found, TrapKind::FuelExhausted);
    assert_eq!(shown, "FuelExhausted in spin()V at pc 0");
    assert_eq!(
        embedded.call("divide", &[Value::Int(1)]),
        Ok(Some(Value::Int(1)))
    );
}

#[test]
fn a_class_can_be_moved_to_another_thread() {
    let class = class();
    let sum =
        std::thread::spawn(move || instance(&class).call("sum", &[Value::Int(20), Value::Int(22)]));
    assert_eq!(
        sum.join().expect("nothing panics"),
        Ok(Some(Value::Int(42)))
    );
}

#[test]
fn a_limit_that_no_memory_holds_is_an_error() {
    let class = class();
    let refused = |limits| {
        let instance = class.instantiate(limits, NoNatives);
        instance.err().map(|error| error.to_string())
    };
    let most = i32::MAX as usize;
    for heap_bytes in [most + 1, usize::MAX] {
        let limits = Limits {
            heap_bytes,
            ..Limits::default()
        };
        let expected = format!(
            "expected `heap_bytes` of at most {most} and memory for it, found {heap_bytes}"
        );
        assert_eq!(refused(limits), Some(expected));
    }
    for nested_calls in [usize::from(u16::MAX) + 1, usize::MAX] {
        let limits = Limits {
            nested_calls,
            ..Limits::default()
        };
        let expected = format!(
            "expected `nested_calls` of at most 65535 and memory for it, found {nested_calls}"
        );
        assert_eq!(refused(limits), Some(expected));
    }
    let nested_calls = usize::from(u16::MAX);
    assert_eq!(
        refused(Limits {
            nested_calls,
            ..Limits::default()
        }),
        None
    );
}
