//! Tests of natives: how a call stops at a native and resumes, and the effects of a native that traps.

use jive_core::{Lifetime, NativeId, Step, TrapKind};

use super::machine::{Machine, PLENTY};

/// Cost classes of the test natives.
#[derive(Debug, PartialEq)]
pub(crate) enum Cost {
    Little,
    Much,
}

jive_core::natives! {
    /// Two natives with the names and descriptors of real natives.
    pub(crate) enum Nic: "unet/Nic", cost Cost {
        /// Sends a packet.
        TxPush = txPush(buffer: ByteArray, offset: Int, channel: Int, length: Int) -> Void, Much;
        /// Pops the free queue.
        GetFreeBuffer = getFreeBuffer() -> Int, Little;
    }
}

fn natives() -> Machine {
    Machine::load(include_bytes!("../classes/Natives.class"), Nic::TABLE, 1024)
}

impl Machine {
    fn start(&mut self, name: &str, args: &[i32], fuel: u64) {
        let method = self.method(name);
        self.instance
            .start(&mut self.stack, method, args, fuel, Lifetime::PerCall)
            .unwrap();
    }

    fn run(&mut self) -> Step<'_> {
        self.instance.run(&mut self.stack)
    }
}

const GET: Step<'static> = Step::Native {
    id: NativeId(1),
    args: &[],
};

#[test]
fn natives_are_called_as_own_or_as_static_methods() {
    let mut machine = natives();
    for (name, result) in [("own", 41), ("nic", 42)] {
        machine.start(name, &[], PLENTY);
        assert_eq!(machine.run(), GET, "{name}");
        machine.stack.resume(Ok(40));
        assert_eq!(machine.run(), Step::Returned(Some(result)), "{name}");
        assert_eq!(machine.stack.executed(), 4);
    }
}

#[test]
fn an_instance_native_gets_its_arguments_without_the_receiver() {
    let mut machine = natives();
    machine.start("send", &[], PLENTY);
    let Step::Native {
        id,
        args: &[buffer, 1, 2, 3],
    } = machine.run()
    else {
        panic!("expected a native with four arguments");
    };
    assert_eq!(Nic::from_id(id).map(Nic::cost), Some(Cost::Much));
    assert_eq!(machine.instance.heap().bytes(buffer), Some(&[0, 0, 7][..]));
    // The interpreter does not push the result of a void native. A pushed result would remain in the frame at the end.
    machine.stack.resume(Ok(99));
    assert_eq!(machine.run(), Step::Returned(None));
    assert_eq!(machine.stack.executed(), 14);
    assert_eq!(machine.instance.heap().used(), 0);
}

#[test]
fn an_instance_native_is_not_called_on_null() {
    let mut machine = natives();
    machine.start("sendNowhere", &[], PLENTY);
    let trap = machine.trap(TrapKind::NullPointerException, "sendNowhere", 7);
    assert_eq!(machine.run(), Step::Trapped(trap));
}

#[test]
fn a_call_resumes_where_it_stopped() {
    let mut machine = natives();
    machine.start("nested", &[3], PLENTY);
    assert_eq!(machine.run(), GET);
    // If the caller does not call `resume`, the call stops at the same native again.
    assert_eq!(machine.run(), GET);
    machine.stack.resume(Ok(-2));
    assert_eq!(machine.run(), Step::Returned(Some(1 + 300 - 20 + 3)));
    let ended = machine.run();
    assert!(matches!(ended, Step::Trapped(trap) if trap.kind == TrapKind::Unverified));
}

#[test]
fn the_trap_of_a_native_is_at_its_call_instruction() {
    let mut machine = natives();
    machine.start("nested", &[3], PLENTY);
    assert_eq!(machine.run(), GET);
    machine.stack.resume(Err(TrapKind::ProtectionFault));
    let trap = machine.trap(TrapKind::ProtectionFault, "between", 4);
    assert_eq!(machine.run(), Step::Trapped(trap));
    assert_eq!(machine.stack.executed(), 7);
    machine.start("nested", &[4], PLENTY);
    assert_eq!(machine.run(), GET);
    machine.stack.resume(Ok(0));
    assert_eq!(machine.run(), Step::Returned(Some(405)));
}

#[test]
fn a_native_is_charged_before_it_has_any_effect() {
    let mut machine = natives();
    // The method `nic` calls the native, pushes, adds and returns.
    for (fuel, extra, result) in [
        (4, 0, Step::Returned(Some(2))),
        (13, 9, Step::Returned(Some(2))),
        (
            12,
            9,
            Step::Trapped(machine.trap(TrapKind::FuelExhausted, "nic", 5)),
        ),
        (
            10,
            9,
            Step::Trapped(machine.trap(TrapKind::FuelExhausted, "nic", 3)),
        ),
        (
            9,
            9,
            Step::Trapped(machine.trap(TrapKind::FuelExhausted, "nic", 0)),
        ),
        (
            9,
            u64::MAX,
            Step::Trapped(machine.trap(TrapKind::FuelExhausted, "nic", 0)),
        ),
    ] {
        machine.start("nic", &[], fuel);
        assert_eq!(machine.run(), GET);
        let charged = machine.stack.charge(extra);
        machine.stack.resume(charged.map(|()| 0));
        assert_eq!(machine.run(), result, "fuel {fuel}, extra {extra}");
    }
    // A native for which no fuel was left does not count as executed.
    assert_eq!(machine.stack.executed(), 0);
    machine.start("nic", &[], 0);
    let trap = machine.trap(TrapKind::FuelExhausted, "nic", 0);
    assert_eq!(machine.run(), Step::Trapped(trap));
}

#[test]
fn next_call_frees_the_arrays_of_an_abandoned_one() {
    let mut machine = natives();
    machine.start("send", &[], PLENTY);
    assert!(matches!(machine.run(), Step::Native { .. }));
    assert_eq!(machine.instance.heap().used(), 16);
    machine.start("own", &[], PLENTY);
    assert_eq!(machine.instance.heap().used(), 0);
    assert_eq!(machine.run(), GET);
}

#[test]
fn a_method_without_code_cannot_be_started() {
    let mut machine = natives();
    let trap = machine.trap(TrapKind::Unverified, "getFreeBuffer", 0);
    assert_eq!(machine.call("getFreeBuffer", &[]), Err(trap));
}

/// Runs a started call to its end, with `portion` more fuel each time it runs out. Answers natives with 7.
fn in_portions(machine: &mut Machine, portion: u64, extra: u64) -> Result<Option<i32>, TrapKind> {
    let (instance, stack) = (&mut machine.instance, &mut machine.stack);
    let mut step = instance.run(stack);
    loop {
        step = match step {
            Step::Returned(value) => return Ok(value),
            Step::Trapped(trap) if trap.kind == TrapKind::FuelExhausted => {
                instance.refuel(stack, portion)
            }
            Step::Trapped(trap) => return Err(trap.kind),
            Step::Native { .. } => {
                let charged = stack.charge(extra);
                stack.resume(charged.map(|()| 7));
                instance.run(stack)
            }
        };
    }
}

#[test]
fn a_call_with_fuel_in_portions_does_what_it_does_with_all_fuel() {
    let natives = include_bytes!("../classes/Natives.class").as_slice();
    let control = include_bytes!("../classes/Control.class").as_slice();
    let arrays = include_bytes!("../classes/Arrays.class").as_slice();
    let arithmetic = include_bytes!("../classes/Arithmetic.class").as_slice();
    let storage = include_bytes!("../classes/Storage.class").as_slice();
    let traps = include_bytes!("../classes/Traps.class").as_slice();
    let mut calls = 0;
    for class in [natives, control, arrays, arithmetic, storage, traps] {
        let load = || Machine::load(class, Nic::TABLE, 1024);
        for method in load().class.methods() {
            let parameters = jive_core::MethodDescriptor::parse(method.descriptor.as_bytes());
            let kinds = parameters
                .unwrap()
                .parameters()
                .map(|kind| kind.array_kind());
            let kinds = kinds.collect::<Vec<_>>();
            let is_endless = ["loop", "forever"].contains(&&*method.name.to_string());
            if method.code().is_none() || is_endless {
                continue;
            }
            for (argument, lifetime) in [(0, Lifetime::PerCall), (6, Lifetime::Persistent)] {
                let run = |first: u64, portion: u64, extra: u64| {
                    let mut machine = load();
                    let args = kinds.iter().map(|kind| match kind {
                        None => argument,
                        Some(kind) => machine.instance.heap_mut().allocate(*kind, 9).unwrap(),
                    });
                    let args = args.collect::<Vec<_>>();
                    let (instance, stack) = (&mut machine.instance, &mut machine.stack);
                    instance
                        .start(stack, method.id, &args, first, lifetime)
                        .unwrap();
                    let end = in_portions(&mut machine, portion, extra);
                    let executed = machine.stack.executed();
                    let fields = machine.instance.fields().to_vec();
                    let heap = machine.instance.heap().contents().to_vec();
                    let cleared = machine.instance.heap_mut().take_cleared();
                    (end, executed, fields, heap, cleared)
                };
                let whole = run(PLENTY, 0, 0);
                for (first, portion, extra) in [(0, 1, 0), (1, 2, 1), (3, 5, 0), (2, 3, 2)] {
                    let name = method.name.to_string();
                    assert_eq!(
                        run(first, portion, extra),
                        whole,
                        "{name} {argument} {portion}"
                    );
                    calls += 1;
                }
            }
        }
    }
    assert!(calls > 500, "{calls}");
}

#[test]
fn only_a_call_that_ran_out_of_fuel_is_refuelled() {
    let mut machine = natives();
    machine.start("nic", &[], PLENTY);
    assert_eq!(machine.instance.refuel(&mut machine.stack, 9), GET);
    machine.stack.resume(Ok(40));
    let ended = machine.instance.refuel(&mut machine.stack, 9);
    assert_eq!(ended, Step::Returned(Some(42)));
    let again = machine.instance.refuel(&mut machine.stack, 9);
    assert!(matches!(again, Step::Trapped(trap) if trap.kind == TrapKind::Unverified));
}
