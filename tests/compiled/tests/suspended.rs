//! A call that waits at natives is the interpreter's at each of them, and goes on in printed code.

use std::cell::Cell;
use std::marker::PhantomData;

use compiled::{CLASSES, Class, Machine, Memory, SuspendedCode, Suspends, arguments, methods};
use jive_core::compiled::{Code, Outcome, Run, run, start};
use jive_core::{
    BareStep, CallSite, CallStack, Instance, Lifetime, MethodId, NativeId, Natives, Pc, Program,
    Trap, TrapKind,
};
use jive_embed::{Policy, load_as};
use nic_core::sle::NicNative;

/// What can be seen of a call that waits.
#[derive(Debug, PartialEq)]
struct Waiting {
    id: NativeId,
    arguments: Vec<i32>,
    executed: u64,
    left: u64,
    callers: Vec<CallSite>,
    fields: Vec<i32>,
    heap: Vec<u8>,
}

impl Waiting {
    fn of(machine: &Machine<'_>, id: NativeId) -> Waiting {
        let Machine {
            instance, stack, ..
        } = machine;
        // The innermost place is the trap's own, which is none here.
        let (kind, method, pc) = (TrapKind::Unverified, MethodId(0), Pc(0));
        let places = instance.backtrace(stack, Trap { kind, method, pc });
        Waiting {
            id,
            arguments: stack.native_arguments().to_vec(),
            executed: stack.executed(),
            left: stack.fuel_left(),
            callers: places.skip(1).collect(),
            fields: instance.fields().to_vec(),
            heap: instance.heap().contents().to_vec(),
        }
    }
}

/// Performs the native that a call waits for.
fn perform(machine: &mut Machine<'_>, id: NativeId) {
    let Machine {
        instance,
        stack,
        natives,
    } = machine;
    let paid = stack.charge(natives.extra_fuel(id));
    let outcome =
        paid.and_then(|()| natives.call(id, stack.native_arguments(), instance.heap_mut()));
    stack.resume(outcome);
}

/// A call of a class, made twice.
struct Call<'c> {
    class: &'c Class,
    method: MethodId,
    arguments: Vec<i32>,
    fuel: u64,
    /// After how many natives the interpreter, and not printed code, goes on with the compiled call.
    interpreted_every: usize,
}

impl Call<'_> {
    /// Makes the call on both machines, native by native, and compares them at each. Returns at how many it waited.
    fn compare(&self, interpreted: &mut Machine<'_>, compiled: &mut Machine<'_>) -> usize {
        let Call {
            class,
            method,
            fuel,
            ..
        } = *self;
        let (arguments, per_call) = (&self.arguments[..], Lifetime::PerCall);
        let place = (class.name, method, arguments, fuel);
        let Machine {
            instance, stack, ..
        } = interpreted;
        let started = instance.start(stack, method, arguments, fuel, per_call);
        let mut expected = match started {
            Ok(()) => instance.run_bare(stack),
            Err(trap) => BareStep::Trapped(trap),
        };
        let Machine {
            instance,
            stack,
            natives,
        } = compiled;
        let mut found = (class.start)(instance, stack, method, arguments, fuel, per_call, natives);
        let mut waits = 0;
        loop {
            assert_eq!(expected, found, "{place:?} after {waits} natives");
            let outcome = match expected {
                BareStep::Native(id) => {
                    let seen = Waiting::of(interpreted, id);
                    assert_eq!(seen, Waiting::of(compiled, id), "{place:?} at {waits}");
                    waits += 1;
                    perform(interpreted, id);
                    perform(compiled, id);
                    expected = interpreted.instance.run_bare(&mut interpreted.stack);
                    let Machine {
                        instance,
                        stack,
                        natives,
                    } = compiled;
                    found = if waits % self.interpreted_every == 0 {
                        instance.run_bare(stack)
                    } else {
                        (class.run)(instance, stack, natives)
                    };
                    continue;
                }
                BareStep::Returned(value) => Ok(value),
                BareStep::Trapped(trap) => Err(trap),
            };
            let expected = interpreted.seen(outcome);
            assert_eq!(expected, compiled.seen(outcome), "{place:?}");
            return waits;
        }
    }
}

/// Compares all calls of a class. Returns the number of calls, and at how many natives they waited.
fn compare(class: &Class, number: usize) -> [usize; 2] {
    let loaded = load_as(class.bytes, Policy::ClassOnly, NicNative::TABLE).unwrap();
    let linked = loaded.linked();
    let [mut calls, mut waited] = [0; 2];
    for (turn, (method, descriptor)) in methods(linked).into_iter().enumerate() {
        let mut memories =
            [linked.program, *class.program].map(|program| Memory::new(&program, 8, 8));
        let [first, second] = &mut memories;
        let mut interpreted = Machine::new(linked.program, first, Suspends::Always);
        let mut compiled = Machine::new(*class.program, second, Suspends::Always);
        for fuel in (0..150).chain([400, 3_000, 20_000]) {
            let used = interpreted.instance.heap().used();
            let at = usize::try_from(fuel).unwrap() + turn;
            let heaps = [&mut interpreted, &mut compiled].map(|it| it.instance.heap_mut());
            let call = Call {
                class,
                method,
                arguments: arguments(&descriptor, at, heaps),
                fuel,
                interpreted_every: [1_000, 3, 2, 1_000][(at + number) % 4],
            };
            let waits = call.compare(&mut interpreted, &mut compiled);
            calls += 1;
            waited += waits;
            for machine in [&mut interpreted, &mut compiled] {
                machine.instance.heap_mut().free_behind(used);
            }
        }
    }
    [calls, waited]
}

#[test]
fn a_call_waits_as_the_interpreter_does() {
    let [mut calls, mut waited] = [0; 2];
    for (number, class) in CLASSES.iter().enumerate() {
        let [more_calls, more_waits] = compare(class, number);
        calls += more_calls;
        waited += more_waits;
    }
    println!("{calls} calls waited at {waited} natives, 0 differences");
    assert!(waited > 10_000, "{waited}");
}

thread_local! {
    static WENT_ON: Cell<usize> = const { Cell::new(0) };
}

/// Printed code that counts how often it goes on behind a call.
struct Counted<C>(PhantomData<C>);

impl<C: Code> Code for Counted<C> {
    const REGISTERS: usize = C::REGISTERS;

    fn program() -> &'static Program<'static> {
        C::program()
    }

    fn enter<N: Natives>(
        method: MethodId,
        arguments: &[i32],
        run: &mut Run<'_, N>,
        heap: &mut [u8],
        fields: &mut [i32],
        fuel: isize,
    ) -> Option<Outcome> {
        C::enter(method, arguments, run, heap, fields, fuel)
    }

    fn go_on<N: Natives>(
        at: (MethodId, u32),
        place: usize,
        run: &mut Run<'_, N>,
        heap: &mut [u8],
        fields: &mut [i32],
        fuel: isize,
    ) -> Option<Outcome> {
        let outcome = C::go_on(at, place, run, heap, fields, fuel);
        WENT_ON.set(WENT_ON.get() + usize::from(outcome.is_some()));
        outcome
    }
}

/// Natives that return their turn.
#[derive(Default)]
struct Turns(i32);

impl Natives for Turns {
    fn call(
        &mut self,
        _: NativeId,
        _: &[i32],
        _: &mut jive_core::Heap<'_>,
    ) -> Result<i32, TrapKind> {
        self.0 += 1;
        Ok(self.0)
    }

    fn suspends(&self, _: NativeId) -> bool {
        true
    }
}

/// Starts a call of a method of `Suspended` in counted printed code, and returns its first step.
fn begin(
    instance: &mut Instance<'_>,
    stack: &mut CallStack<'_>,
    method: &str,
    arguments: &[i32],
) -> BareStep {
    let class = CLASSES
        .iter()
        .find(|it| it.name.ends_with("/Suspended.jasm"));
    let class = class.unwrap();
    let loaded = load_as(class.bytes, Policy::ClassOnly, NicNative::TABLE).unwrap();
    let id = loaded.linked().method(method).unwrap();
    let kept = Lifetime::PerCall;
    start::<Counted<SuspendedCode>, _>(instance, stack, id, arguments, 100_000, kept, &mut Turns(0))
}

#[test]
fn each_native_is_followed_by_printed_code_in_its_method_and_in_the_callers() {
    // Method, argument, natives that it waits at, and how often printed code goes on: once behind each native, and once
    // in each caller of a method that has waited.
    // `down(3)` waits once in each of four calls, and then in `tell` of three of them. Returns into a caller follow the
    // last wait of `down`, of which there are three, and of `tell`.
    for (method, argument, waits, went_on) in
        [("many", 2, 60, 60), ("down", 0, 1, 1), ("down", 3, 7, 13)]
    {
        let program = SuspendedCode::program();
        let mut memory = Memory::new(program, 8, 8);
        let Machine {
            mut instance,
            mut stack,
            ..
        } = Machine::new(*program, &mut memory, Suspends::Always);
        WENT_ON.set(0);
        let mut natives = Turns(0);
        let mut waited = 0;
        let mut step = begin(&mut instance, &mut stack, method, &[argument]);
        while let BareStep::Native(_) = step {
            waited += 1;
            stack.resume(Ok(waited));
            step = run::<Counted<SuspendedCode>, _>(&mut instance, &mut stack, &mut natives);
        }
        assert!(matches!(step, BareStep::Returned(Some(_))), "{step:?}");
        assert_eq!((waited, WENT_ON.get()), (waits, went_on), "{method}");
    }
}

#[test]
fn a_call_that_waits_can_be_asked_again_and_abandoned() {
    let program = SuspendedCode::program();
    let mut memory = Memory::new(program, 8, 8);
    let Machine {
        mut instance,
        mut stack,
        ..
    } = Machine::new(*program, &mut memory, Suspends::Always);
    let first = begin(&mut instance, &mut stack, "down", &[2]);
    assert!(matches!(first, BareStep::Native(_)));
    // Without an outcome the call still waits.
    let again = run::<SuspendedCode, _>(&mut instance, &mut stack, &mut Turns(0));
    assert_eq!(again, first);
    // Another call takes its place, and ends as if it were the first.
    let step = begin(&mut instance, &mut stack, "down", &[0]);
    assert_eq!(step, first);
    assert_eq!(stack.executed(), 3, "iload_0, ifgt and the native");
    stack.resume(Ok(77));
    let step = run::<SuspendedCode, _>(&mut instance, &mut stack, &mut Turns(0));
    assert_eq!(step, BareStep::Returned(Some(77)));
    assert_eq!(stack.executed(), 4);
    // Nothing waits any more.
    let step = run::<SuspendedCode, _>(&mut instance, &mut stack, &mut Turns(0));
    assert!(
        matches!(
            step,
            BareStep::Trapped(Trap {
                kind: TrapKind::Unverified,
                ..
            })
        ),
        "{step:?}"
    );
}
