//! Properties that a program can rely on if it embeds JIVE through `jive_embed::load`.

use std::sync::Arc;
use std::thread;

use jive_embed::{
    ArrayKind, CallError, HandleError, Heap, Host, HostError, Instance, Limits, LoadedClass,
    Method, NativeDecl, NativeId, NativeParameter, NativeType, NoNatives, State, TrapKind, Value,
    load,
};
use jive_lab::asm::assemble;

const METHODS: &str = "
.class public super Embedded
.omit doTx doRx RxBuf
.source Embedded.java
.field private count I
.field static window I
.field static ring [S
.field static flag Z

.method static <clinit>()V stack 1 locals 0
    bipush 9
    putstatic window:I
    getstatic window:I
    newarray short
    putstatic ring:[S
    return

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

/// Returns the method with a name, whatever its descriptor.
fn method(class: &LoadedClass, name: &str) -> Method {
    let methods = class.linked().class.methods();
    let mut named = methods.filter(|method| method.name == name);
    let descriptor = named.next().expect("it is there").descriptor.to_string();
    class.method(name, &descriptor).expect("it has code")
}

fn limits() -> Limits {
    let limits = Limits::default().with_heap_bytes(256);
    limits.with_nested_calls(4).with_fuel(100)
}

fn instance(class: &LoadedClass) -> Instance<NoNatives> {
    let instance = class.instantiate(limits(), NoNatives);
    instance.expect("it has no constructor that traps")
}

/// Calls a method of a name and returns its result.
fn value(
    class: &LoadedClass,
    embedded: &mut Instance<NoNatives>,
    name: &str,
    arguments: &[Value],
) -> Result<Option<Value>, CallError> {
    let returned = embedded.call(method(class, name), arguments)?;
    Ok(returned.value)
}

#[test]
fn methods_are_looked_up_once_by_name_and_descriptor() {
    let class = class();
    let mut embedded = instance(&class);
    assert_eq!(class.name(), "Embedded");
    let element = class.method("element", "([BI)I").expect("it is there");
    let array = embedded.bytes_from(&[5, 0xff]).expect("there is room");
    let returned = embedded.call(element, &[array.into(), 1.into()]);
    let returned = returned.expect("the index is right");
    // Three loads and a return.
    assert_eq!((returned.value, returned.fuel), (Some(Value::Int(-1)), 4));
    for (name, descriptor, found) in [
        ("product", "(II)I", "none of this name"),
        ("sum", "(I)I", "`sum(II)I`"),
        ("<clinit>", "()V", "none of this name"),
        ("", "", "none of this name"),
    ] {
        let error = class.method(name, descriptor).expect_err(name).to_string();
        let expected =
            format!("expected a member `{name}{descriptor}` of `Embedded`, found {found}");
        assert_eq!(error, expected);
    }
}

#[test]
fn a_handle_of_another_class_is_refused() {
    // The other class has the same bytes, but its members may have other numbers in the next build.
    let (class, other) = (class(), class());
    let mut embedded = instance(&class);
    let foreign = HandleError::Foreign {
        class: "Embedded".to_owned(),
    };
    let sum = method(&other, "sum");
    let called = embedded.call(sum, &[1.into(), 2.into()]);
    assert_eq!(called, Err(CallError::Handle(foreign.clone())));
    let window = other.field::<i32>("window").expect("it is there");
    let ring = other.field::<[i16]>("ring").expect("it is there");
    assert_eq!(embedded.get(window), Err(foreign.clone()));
    assert_eq!(embedded.set(window, 1), Err(foreign.clone()));
    assert_eq!(embedded.get_array(ring), Err(foreign.clone()));
    assert_eq!(embedded.set_array(ring, None), Err(foreign.clone()));
    let state = State::default().with(window, 1);
    let refused = class.instantiate_with(&state, limits(), NoNatives);
    assert_eq!(refused.err(), Some(CallError::Handle(foreign)));
    // A clone is the same class.
    let again = value(&class.clone(), &mut embedded, "sum", &[1.into(), 2.into()]);
    assert_eq!(again, Ok(Some(Value::Int(3))));
}

#[test]
fn arguments_are_held_to_the_parameters() {
    let class = class();
    let mut embedded = instance(&class);
    let same_method = method(&class, "same");
    let bytes = embedded.bytes_from(&[1]).expect("there is room");
    let shorts = embedded
        .new_array(ArrayKind::Short, 2)
        .expect("there is room");
    let same = [Value::Array(shorts)];
    let returned = value(&class, &mut embedded, "same", &same);
    assert_eq!(returned, Ok(Some(same[0])));
    let returned = value(&class, &mut embedded, "same", &[Value::Null]);
    assert_eq!(returned, Ok(Some(Value::Null)));
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
        assert_eq!(embedded.call(same_method, found), Err(error));
    }
    // Pass a reference of one instance to another instance, whose heap has no array at that address.
    let mut other = instance(&class);
    assert!(matches!(
        other.call(same_method, &[Value::Array(shorts)]),
        Err(CallError::Arguments { .. })
    ));
}

#[test]
fn fields_live_from_call_to_call_and_arrays_of_a_call_do_not() {
    let class = class();
    let mut embedded = instance(&class);
    let field = class.field::<i32>("count").expect("it is there");
    for count in 1..50 {
        let returned = value(&class, &mut embedded, "count", &[]);
        assert_eq!(returned, Ok(Some(Value::Int(count))));
        assert_eq!(embedded.get(field), Ok(count));
        // The array of each call must end with the call, because the arrays of all calls would fill the heap.
        let error = CallError::TransientResult {
            method: "fresh()[B".to_owned(),
        };
        assert_eq!(value(&class, &mut embedded, "fresh", &[]), Err(error));
    }
    let this = value(&class, &mut embedded, "self", &[]);
    assert_eq!(this, Ok(Some(Value::This)));
    assert_eq!(
        embedded.new_array(ArrayKind::Int, 64),
        Err(TrapKind::OutOfMemoryError)
    );
}

#[test]
fn fields_and_arrays_have_the_types_of_the_class() {
    let class = class();
    let mut embedded = instance(&class);
    let count = class.field::<i32>("count").expect("it is there");
    let flag = class.field::<bool>("flag").expect("it is there");
    let ring = class.field::<[i16]>("ring").expect("it is there");
    assert_eq!(embedded.set(count, 41), Ok(()));
    assert_eq!(embedded.set(flag, true), Ok(()));
    let returned = value(&class, &mut embedded, "count", &[]);
    assert_eq!(returned, Ok(Some(Value::Int(42))));
    assert_eq!(embedded.get(flag), Ok(true));
    assert_eq!(embedded.get_array(ring), Ok(Some(vec![0; 9])));
    let shorts = embedded.array_from(&[-1_i16, 300]).expect("there is room");
    let bytes = embedded.array_from(&[1_i8]).expect("there is room");
    assert_eq!(embedded.set_array(ring, Some(shorts)), Ok(()));
    assert_eq!(embedded.get_array(ring), Ok(Some(vec![-1, 300])));
    assert_eq!(embedded.elements::<i8>(shorts), None);
    let refused = embedded.set_array(ring, Some(bytes));
    assert_eq!(refused, Err(HandleError::Array));
    assert_eq!(embedded.set_array(ring, None), Ok(()));
    assert_eq!(embedded.get_array(ring), Ok(None));
    let wrong = class.field::<i16>("count").expect_err("it is an int");
    assert_eq!(
        wrong.to_string(),
        "expected a member `count:S` of `Embedded`, found `count:I`"
    );
    assert!(class.field::<[i8]>("ring").is_err() && class.field::<i32>("two").is_err());
}

#[test]
fn a_field_of_a_shared_name_is_found_by_its_type() {
    let shared = METHODS.replace(
        ".field private count I\n",
        ".field private count S\n.field private count I\n.field private count [B\n",
    );
    let assembled = assemble("Embedded", &shared).expect("the source is right");
    let class = load(&assembled.bytes, &[]).expect("the class is safe");
    let mut embedded = instance(&class);
    let returned = value(&class, &mut embedded, "count", &[]);
    assert_eq!(returned, Ok(Some(Value::Int(1))));
    let int = class.field::<i32>("count").expect("it is there");
    let short = class.field::<i16>("count").expect("it is there");
    let bytes = class.field::<[i8]>("count").expect("it is there");
    assert_eq!(embedded.get(int), Ok(1));
    assert_eq!(embedded.get(short), Ok(0));
    assert_eq!(embedded.get_array(bytes), Ok(None));
}

#[test]
fn a_state_is_set_before_the_initializer_runs() {
    let class = class();
    let window = class.field::<i32>("window").expect("it is there");
    let ring = class.field::<[i16]>("ring").expect("it is there");
    let start = |state: &State| {
        let instance = class.instantiate_with(state, limits(), NoNatives);
        let instance = instance.expect("the state fits");
        (instance.get(window), instance.get_array(ring))
    };
    // The initializer stores 9 in `window`, and makes a ring of that length.
    assert_eq!(start(&State::default()), (Ok(9), Ok(Some(vec![0; 9]))));
    let set = State::default().with(window, 3);
    assert_eq!(start(&set), (Ok(3), Ok(Some(vec![0; 3]))));
    let set = set.with_array(ring, &[5, -6]);
    assert_eq!(start(&set), (Ok(3), Ok(Some(vec![5, -6]))));
    // Handles work with such instances as with any.
    let mut embedded = class
        .instantiate_with(&set, limits(), NoNatives)
        .expect("the state fits");
    let sum = value(&class, &mut embedded, "sum", &[1.into(), 2.into()]);
    assert_eq!(sum, Ok(Some(Value::Int(3))));
    let count = class.field::<i32>("count").expect("it is there");
    let refused = class.instantiate_with(&State::default().with(count, 1), limits(), NoNatives);
    assert_eq!(refused.err(), Some(HandleError::NotStatic.into()));
    let large = State::default().with_array(ring, &[0; 200]);
    let refused = class.instantiate_with(&large, limits(), NoNatives);
    let refused = refused.expect_err("the heap has 256 bytes");
    assert!(refused.to_string().starts_with("expected `heap_bytes`"));
}

#[test]
fn a_trap_has_its_kind_and_place_and_the_instance_stays_usable() {
    let class = class();
    let mut embedded = instance(&class);
    let kind = |result| match result {
        Err(CallError::Trap { trap }) => (trap.trap.kind, trap.to_string()),
        other => panic!("{other:?}"),
    };
    let (found, shown) = kind(value(&class, &mut embedded, "divide", &[0.into()]));
    assert_eq!(found, TrapKind::ArithmeticException);
    assert_eq!(shown, "ArithmeticException in divide(I)I at pc 2");
    assert_eq!(embedded.resume(9), Err(CallError::NotExhausted));
    let (found, shown) = kind(value(&class, &mut embedded, "spin", &[]));
    assert_eq!(found, TrapKind::FuelExhausted);
    assert_eq!(shown, "FuelExhausted in spin()V at pc 0");
    let returned = value(&class, &mut embedded, "divide", &[1.into()]);
    assert_eq!(returned, Ok(Some(Value::Int(1))));
    assert_eq!(embedded.resume(9), Err(CallError::NotExhausted));
}

#[test]
fn a_call_that_ran_out_of_fuel_is_resumed_with_more() {
    let class = class();
    let mut embedded = instance(&class);
    let element = method(&class, "element");
    let array = embedded.bytes_from(&[5, 7]).expect("there is room");
    for first in 0..4 {
        embedded.set_fuel(first);
        let mut called = embedded.call(element, &[array.into(), 1.into()]);
        let mut resumed = 0;
        while let Err(CallError::Trap { trap }) = &called {
            assert_eq!(trap.trap.kind, TrapKind::FuelExhausted);
            called = embedded.resume(1);
            resumed += 1;
        }
        let returned = called.expect("it trapped for want of fuel alone");
        assert_eq!((returned.value, returned.fuel), (Some(Value::Int(7)), 4));
        assert_eq!(resumed, 4 - first);
    }
    // A new array would take the memory of the suspended call's arrays.
    embedded.set_fuel(1);
    assert!(embedded.call(element, &[array.into(), 1.into()]).is_err());
    embedded.bytes_from(&[1]).expect("there is room");
    assert_eq!(embedded.resume(9), Err(CallError::NotExhausted));
}

/// A native with an error that only this program knows.
struct Failing(u32);

#[derive(Debug, PartialEq, thiserror::Error)]
#[error("no more than {0}")]
struct NoMore(Arc<u32>);

impl Host for Failing {
    type Error = NoMore;

    fn call(&mut self, _: NativeId, _: &[i32], _: &mut Heap<'_>) -> Result<i32, HostError<NoMore>> {
        match self.0.checked_sub(1) {
            Some(left) => self.0 = left,
            None => return Err(HostError::Failed(NoMore(Arc::new(7)))),
        }
        Ok(10)
    }

    fn extra_fuel(&self, _: NativeId) -> u64 {
        5
    }
}

#[test]
fn the_error_of_a_native_comes_back_unchanged() {
    const ASKS: &str = "
.class public super Asks
.omit doTx doRx RxBuf
.method static native ask(I)I
.method static twice()I stack 2 locals 0
    iconst_1
    invokestatic ask(I)I
    iconst_2
    invokestatic ask(I)I
    iadd
    ireturn
";
    let assembled = assemble("Asks", ASKS).expect("the source is right");
    // A table that is made while the program runs, and gone before the class is.
    let class = {
        let name = "ask".to_owned();
        let kind = NativeType::Int;
        let parameters = [NativeParameter { name: &name, kind }];
        let table = [NativeDecl {
            class: "program/Own",
            name: &name,
            parameters: &parameters,
            result: Some(kind),
        }];
        load(&assembled.bytes, &table).expect("the class is safe")
    };
    let twice = class.method("twice", "()I").expect("it is there");
    let mut asks = class.instantiate(limits(), Failing(3)).expect("no code");
    let returned = asks.call(twice, &[]).expect("two answers are left");
    // Six instructions, and the extra fuel of two natives.
    assert_eq!((returned.value, returned.fuel), (Some(Value::Int(20)), 16));
    match asks.call(twice, &[]) {
        Err(CallError::Host { error, at }) => {
            assert_eq!((error, &*at), (NoMore(Arc::new(7)), "twice()I at pc 5"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(asks.resume(9), Err(CallError::NotExhausted));
    // Natives are paid for when a call is resumed, too.
    asks.natives_mut().0 = 2;
    asks.set_fuel(3);
    let mut called = asks.call(twice, &[]);
    while let Err(CallError::Trap { .. }) = called {
        called = asks.resume(2);
    }
    assert_eq!(called, Ok(returned));
}

/// A program's own struct with all that it needs, which would be an error if an instance borrowed its class.
struct Kept {
    class: LoadedClass,
    sum: Method,
    instance: Instance<NoNatives>,
}

#[test]
fn eight_threads_share_a_class_and_own_their_instances() {
    fn sent<T: Send + 'static>(value: T) -> T {
        value
    }
    fn shared<T: Send + Sync + 'static>(value: T) -> T {
        value
    }
    let class = shared(class());
    let threads = (0..8).map(|number| {
        let class = class.clone();
        let instance = instance(&class);
        let sum = method(&class, "sum");
        let mut kept = sent(Kept {
            class,
            sum,
            instance,
        });
        thread::spawn(move || {
            let count = kept.class.field::<i32>("count").expect("it is there");
            kept.instance.set(count, number).expect("it is its own");
            let sum = kept.instance.call(kept.sum, &[number.into(), 1.into()]);
            (sum.map(|returned| returned.value), kept.instance.get(count))
        })
    });
    let threads = threads.collect::<Vec<_>>();
    // The instances keep the class alive.
    drop(class);
    for (number, thread) in (0..).zip(threads) {
        let ended = thread.join().expect("nothing panics");
        assert_eq!(ended, (Ok(Some(Value::Int(number + 1))), Ok(number)));
    }
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
        let expected = format!(
            "expected `heap_bytes` of at most {most} and memory for it, found {heap_bytes}"
        );
        let limits = Limits::default().with_heap_bytes(heap_bytes);
        assert_eq!(refused(limits), Some(expected));
    }
    for nested_calls in [usize::from(u16::MAX) + 1, usize::MAX] {
        let expected = format!(
            "expected `nested_calls` of at most 65535 and memory for it, found {nested_calls}"
        );
        let limits = Limits::default().with_nested_calls(nested_calls);
        assert_eq!(refused(limits), Some(expected));
    }
    let nested_calls = usize::from(u16::MAX);
    let limits = Limits::default().with_nested_calls(nested_calls);
    assert_eq!(refused(limits), None);
}
