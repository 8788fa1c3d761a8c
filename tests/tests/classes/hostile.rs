//! Hostile class files and hostile programs. Each class file or program causes the specified error or trap, and does
//! not affect the next call of the instance.

use jive_core::{Lifetime, NoNatives, Trap, TrapKind};
use jive_lab::asm::assemble;
use jive_verifier::Policy;
use nic_core::sle::{NicEntry, NicNative};
use tests::fixture::{Outcome, Place};
use tests::fuzzing;
use tests::machine::{Machine, Room, judge, machine};

/// Assembles an applet, loads it and passes its machine to a closure.
fn loaded<R>(source: &str, room: Room, then: impl FnOnce(&mut Machine<'_>) -> R) -> R {
    let class = assemble("hostile", source).unwrap_or_else(|error| panic!("{error}"));
    machine(
        &class.bytes,
        Policy::Applet {
            entries: NicEntry::TABLE,
        },
        NicNative::TABLE,
        room,
        |machine| {
            machine.load(&mut NoNatives).expect("loading does not trap");
            then(machine)
        },
    )
    .unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// Calls a method as the runtime calls `doTx`: arrays made in the call end with the call.
fn call(machine: &mut Machine<'_>, method: &str, arguments: &[i32]) -> Result<Option<i32>, Trap> {
    let id = machine.method(method);
    machine.call(id, arguments, Lifetime::PerCall, &mut NoNatives)
}

/// Calls a method that must trap, and returns the trap with its place.
fn trap(machine: &mut Machine<'_>, method: &str) -> String {
    let trap = call(machine, method, &[]).expect_err("the call traps");
    machine.trapped(trap).to_string()
}

const ENDLESS: &str = "
.method static run()V stack 0 locals 1
    iconst_0
    istore_0
again:
    wide iinc 0 1
    goto again
";

#[test]
fn with_fuel_n_exactly_n_instructions_execute() {
    // The first instruction without fuel traps at its own pc, before any effect. `wide` does not count as an
    // instruction.
    let pcs = [0, 1, 2, 8, 2, 8, 2];
    for (fuel, pc) in (0..).zip(pcs) {
        let source = ENDLESS.replace("stack 0", "stack 1");
        loaded(&source, Room::default(), |machine| {
            machine.fuel = fuel;
            let expected = format!("trap FuelExhausted in run at pc {pc}");
            assert_eq!(trap(machine, "run"), expected, "fuel {fuel}");
            assert_eq!(machine.stack.executed(), fuel);
            assert_eq!(machine.stack.fuel_left(), 0);
        });
    }
}

#[test]
fn an_endless_loop_ends_with_its_fuel() {
    let source = ENDLESS.replace("stack 0", "stack 1");
    loaded(&source, Room::default(), |machine| {
        assert_eq!(trap(machine, "run"), "trap FuelExhausted in run at pc 2");
        assert_eq!(machine.stack.executed(), Room::default().fuel);
    });
}

#[test]
fn a_call_returns_with_exactly_the_fuel_it_needs() {
    // The call executes four instructions in `run` and three in the callee.
    let source = "
        .method static run()I stack 2 locals 0
            iconst_5
            invokestatic twice(I)I
            nop
            ireturn
        .method static twice(I)I stack 2 locals 1
            iload_0
            iconst_1
            ishl
            ireturn";
    loaded(source, Room::default(), |machine| {
        machine.fuel = 8;
        assert_eq!(call(machine, "run", &[]), Ok(Some(10)));
        machine.fuel = 7;
        assert_eq!(trap(machine, "run"), "trap FuelExhausted in run at pc 5");
        machine.fuel = 4;
        assert_eq!(trap(machine, "run"), "trap FuelExhausted in twice at pc 2");
    });
}

#[test]
fn an_exhausted_heap_is_whole_again_for_the_next_call() {
    let source = "
        .method static run()V stack 1 locals 0
        again:
            sipush 1000
            newarray byte
            pop
            goto again
        .method static fits()I stack 1 locals 0
            sipush 4000
            newarray byte
            arraylength
            ireturn";
    let room = Room {
        heap: 5000,
        ..Room::default()
    };
    loaded(source, room, |machine| {
        for _ in 0..3 {
            let before = machine.instance.heap().used();
            assert_eq!(trap(machine, "run"), "trap OutOfMemoryError in run at pc 3");
            assert_eq!(machine.instance.heap().used(), before);
            assert_eq!(call(machine, "fits", &[]), Ok(Some(4000)));
        }
    });
}

#[test]
fn endless_recursion_traps_at_the_call_without_room() {
    let source = "
        .method static run()V stack 1 locals 0
            nop
            invokestatic other()V
            return
        .method static other()V stack 1 locals 0
            invokestatic run()V
            return
        .method static depth(I)I stack 3 locals 1
            iload_0
            ifne deeper
            iconst_0
            ireturn
        deeper:
            iload_0
            iconst_1
            isub
            invokestatic depth(I)I
            iconst_1
            iadd
            ireturn";
    let room = Room {
        frames: 10,
        ..Room::default()
    };
    loaded(source, room, |machine| {
        // `run` has frame 1 and the last `other` has frame 10, so the call in `other` would need frame 11.
        assert_eq!(
            trap(machine, "run"),
            "trap StackOverflowError in other at pc 0"
        );
        assert_eq!(call(machine, "depth", &[9]), Ok(Some(9)));
        let trap = call(machine, "depth", &[10]).expect_err("it takes eleven frames");
        assert_eq!(
            machine.trapped(trap).to_string(),
            "trap StackOverflowError in depth at pc 9"
        );
        assert_eq!(call(machine, "depth", &[9]), Ok(Some(9)));
    });
}

/// Ways to store into a field: the field's flags, and the instructions before and after the array is pushed.
const STORES: [(&str, &str, &str); 2] = [
    ("static", "", "putstatic"),
    ("", "getstatic self:LFixture;", "putfield"),
];

/// The four array types.
const ARRAYS: [(&str, &str); 4] = [
    ("byte", "[B"),
    ("short", "[S"),
    ("int", "[I"),
    ("boolean", "[Z"),
];

#[test]
fn transient_arrays_stay_out_of_every_kind_of_field() {
    for (flags, receiver, store) in STORES {
        for (element, descriptor) in ARRAYS {
            let source = format!(
                ".field {flags} kept {descriptor}
                 .field static persistent {descriptor}
                 .field static self LFixture;
                 .method <init>()V stack 2 locals 1
                     aload_0
                     invokespecial java/lang/Object.<init>()V
                     aload_0
                     putstatic self:LFixture;
                     iconst_3
                     newarray {element}
                     putstatic persistent:{descriptor}
                     return
                 .method static transient()V stack 2 locals 0
                     {receiver}
                     iconst_3
                     newarray {element}
                     {store} kept:{descriptor}
                     return
                 .method static returned()V stack 2 locals 0
                     {receiver}
                     invokestatic make(){descriptor}
                     {store} kept:{descriptor}
                     return
                 .method static make(){descriptor} stack 1 locals 0
                     iconst_3
                     newarray {element}
                     areturn
                 .method static old()V stack 2 locals 0
                     {receiver}
                     getstatic persistent:{descriptor}
                     {store} kept:{descriptor}
                     return
                 .method static nothing()V stack 2 locals 0
                     {receiver}
                     aconst_null
                     {store} kept:{descriptor}
                     return"
            );
            loaded(&source, Room::default(), |machine| {
                let field = |machine: &Machine<'_>, name: &str| {
                    let field = machine.class.fields().find(|field| field.name == name);
                    machine.instance.field(field.expect("it is declared").id)
                };
                let persistent = field(machine, "persistent");
                assert_eq!(call(machine, "old", &[]), Ok(None));
                assert_eq!(field(machine, "kept"), persistent);
                // With an instruction that pushes a receiver, the store is three bytes later.
                let receiver_length = if receiver.is_empty() { 0 } else { 3 };
                for (method, pc) in [("transient", 3), ("returned", 3)] {
                    let pc = pc + receiver_length;
                    assert_eq!(
                        trap(machine, method),
                        format!("trap TransientEscape in {method} at pc {pc}"),
                        "{store} {descriptor}"
                    );
                    assert_eq!(field(machine, "kept"), persistent);
                }
                assert_eq!(call(machine, "nothing", &[]), Ok(None));
                assert_eq!(field(machine, "kept"), 0);
            });
        }
    }
}

#[test]
fn arrays_made_while_loading_persist() {
    let source = "
        .field static made [I
        .method static <clinit>()V stack 4 locals 0
            iconst_2
            newarray int
            dup
            iconst_1
            bipush 42
            iastore
            putstatic made:[I
            return
        .method static run()I stack 2 locals 0
            getstatic made:[I
            iconst_1
            iaload
            ireturn";
    loaded(source, Room::default(), |machine| {
        assert_eq!(call(machine, "run", &[]), Ok(Some(42)));
        assert_eq!(call(machine, "run", &[]), Ok(Some(42)));
        // The heap has the bytes of two `int` elements and of the header.
        assert_eq!(machine.instance.heap().used(), 16);
    });
}

#[test]
fn no_bytes_of_an_earlier_call_are_seen_again() {
    let source = "
        .method static fill()V stack 4 locals 2
            bipush 100
            newarray byte
            astore_0
            iconst_0
            istore_1
        again:
            aload_0
            iload_1
            bipush 77
            bastore
            iinc 1 1
            iload_1
            bipush 100
            if_icmplt again
            return
        .method static sum()I stack 3 locals 3
            bipush 24
            newarray int
            astore_0
            iconst_0
            istore_1
            iconst_0
            istore_2
        again:
            iload_2
            aload_0
            iload_1
            iaload
            ior
            istore_2
            iinc 1 1
            iload_1
            bipush 24
            if_icmplt again
            iload_2
            ireturn";
    loaded(source, Room::default(), |machine| {
        assert_eq!(call(machine, "fill", &[]), Ok(None));
        assert_eq!(call(machine, "sum", &[]), Ok(Some(0)));
    });
}

#[test]
fn a_constructor_that_traps_is_reported_with_its_place() {
    let source = "
        .method <init>()V stack 2 locals 1
            aload_0
            invokespecial java/lang/Object.<init>()V
            iconst_1
            iconst_0
            idiv
            pop
            return";
    let class = assemble("hostile", source).unwrap();
    let trap = machine(
        &class.bytes,
        Policy::Applet {
            entries: NicEntry::TABLE,
        },
        NicNative::TABLE,
        Room::default(),
        |machine| {
            let trap = machine
                .load(&mut NoNatives)
                .expect_err("it divides by zero");
            machine.trapped(trap).to_string()
        },
    );
    assert_eq!(
        trap.as_deref(),
        Ok("trap ArithmeticException in <init> at pc 6")
    );
}

#[test]
fn every_prefix_of_a_class_file_is_malformed() {
    let class = applets::RAW_UNET.class;
    for length in 0..class.len() {
        match judge(
            &class[..length],
            Policy::Applet {
                entries: NicEntry::TABLE,
            },
            NicNative::TABLE,
        ) {
            Outcome::Rejected {
                code,
                at: Place::Byte(offset),
            } => {
                assert!(code.starts_with("malformed/"), "{length} bytes: {code}");
                let offset = usize::try_from(offset).unwrap();
                assert!(offset <= length, "{length} bytes: offset {offset}");
            }
            other => panic!("{length} bytes: {other}"),
        }
    }
    assert_eq!(
        judge(
            class,
            Policy::Applet {
                entries: NicEntry::TABLE
            },
            NicNative::TABLE
        ),
        Outcome::Accepted
    );
}

#[test]
fn changed_classes_are_rejected_or_keep_their_promises() {
    for applet in [&applets::RAW_UNET, &applets::COUNTER] {
        let mut class = applet.class.to_vec();
        for at in 0..class.len() {
            for change in [0x01, 0x80, 0xff] {
                class[at] ^= change;
                fuzzing::parse(&class);
                fuzzing::verify(&class);
                fuzzing::run(&class);
                class[at] ^= change;
            }
        }
    }
}

#[test]
fn shipped_applets_withstand_any_native_result() {
    for applet in applets::ALL {
        for seed in 0..50 {
            fuzzing::run_seeded(applet.class, seed);
        }
    }
}

#[test]
fn ten_megabytes_are_refused_by_their_size() {
    let mut bytes = applets::RAW_UNET.class.to_vec();
    bytes.resize(10_000_000, 0);
    assert_eq!(
        judge(
            &bytes,
            Policy::Applet {
                entries: NicEntry::TABLE
            },
            NicNative::TABLE
        )
        .to_string(),
        "limit/file-size at byte 0"
    );
}

#[test]
fn an_instance_outlives_every_trap() {
    let source = "
        .field static count I
        .method static divide()V stack 2 locals 0
            iconst_1
            iconst_0
            idiv
            pop
            return
        .method static index()V stack 2 locals 0
            iconst_1
            newarray int
            iconst_1
            iaload
            pop
            return
        .method static negative()V stack 1 locals 0
            iconst_m1
            newarray int
            pop
            return
        .method static null()V stack 1 locals 0
            aconst_null
            arraylength
            pop
            return
        .method static native()V stack 1 locals 0
            invokestatic unet/Nic.getFreeBuffer()I
            pop
            return
        .method static run()I stack 2 locals 0
            getstatic count:I
            iconst_1
            iadd
            dup
            putstatic count:I
            ireturn";
    loaded(source, Room::default(), |machine| {
        let traps = [
            ("divide", TrapKind::ArithmeticException),
            ("index", TrapKind::ArrayIndexOutOfBoundsException),
            ("negative", TrapKind::NegativeArraySizeException),
            ("null", TrapKind::NullPointerException),
            ("native", TrapKind::ProtectionFault),
        ];
        for (count, (method, kind)) in (1..).zip(traps) {
            let trap = call(machine, method, &[]).expect_err("it traps");
            assert_eq!(trap.kind, kind);
            assert_eq!(call(machine, "run", &[]), Ok(Some(count)));
        }
    });
}
