//! `Instance::call`, which runs a call to its end, must agree with `start` followed by `run` until the end.

use jive_core::{Lifetime, NoNatives, Step, Trap, TrapKind};

use super::machine::Machine;
use super::natives::Nic;

const CONTROL: &[u8] = include_bytes!("../classes/Control.class");
const ARRAYS: &[u8] = include_bytes!("../classes/Arrays.class");
const NATIVES: &[u8] = include_bytes!("../classes/Natives.class");

impl Machine {
    /// Makes a call and runs it to its end with `Instance::call`. Natives are rejected.
    fn at_once(
        &mut self,
        name: &str,
        args: &[i32],
        fuel: u64,
        lifetime: Lifetime,
    ) -> Result<Option<i32>, Trap> {
        let (method, stack) = (self.method(name), &mut self.stack);
        self.instance
            .call(stack, method, args, fuel, lifetime, &mut NoNatives)
    }

    /// Makes the same call with `start` and `run`, until it ends.
    fn by_steps(
        &mut self,
        name: &str,
        args: &[i32],
        fuel: u64,
        lifetime: Lifetime,
    ) -> Result<Option<i32>, Trap> {
        let (method, stack) = (self.method(name), &mut self.stack);
        self.instance.start(stack, method, args, fuel, lifetime)?;
        loop {
            match self.instance.run(stack) {
                Step::Returned(value) => return Ok(value),
                Step::Trapped(trap) => return Err(trap),
                Step::Native { .. } => stack.resume(Err(TrapKind::ProtectionFault)),
            }
        }
    }

    /// Returns the state that a caller can observe after a call has ended.
    fn left(&self) -> (u64, u64, u32) {
        let used = self.instance.heap().used();
        (self.stack.executed(), self.stack.fuel_left(), used)
    }
}

#[test]
fn a_call_made_at_once_ends_like_a_call_by_steps() {
    let calls: [(&[u8], &str, &[i32]); 12] = [
        (CONTROL, "fibonacci", &[12]),
        (CONTROL, "viaThis", &[5]),
        (CONTROL, "order", &[1, 2, 3]),
        (CONTROL, "down", &[3]),
        (CONTROL, "endless", &[]),
        (CONTROL, "nothing", &[]),
        (CONTROL, "two", &[1]),
        (ARRAYS, "intAt", &[3, 2]),
        (ARRAYS, "byteAt", &[3, 3]),
        (ARRAYS, "exhaust", &[9]),
        (NATIVES, "getFreeBuffer", &[]),
        (NATIVES, "send", &[]),
    ];
    for (class, name, args) in calls {
        for lifetime in [Lifetime::Persistent, Lifetime::PerCall] {
            let machine = || Machine::load(class, Nic::TABLE, 256);
            let (mut at_once, mut by_steps) = (machine(), machine());
            // The test makes calls with too little fuel, with amounts near the length of fuel slices, and with more
            // fuel than any call needs.
            for fuel in (0..40).chain([1023, 1024, 1025, 2000, 100_000, u64::MAX]) {
                let ended = at_once.at_once(name, args, fuel, lifetime);
                let expected = by_steps.by_steps(name, args, fuel, lifetime);
                let label = format!("{name}, fuel {fuel}, {lifetime:?}");
                assert_eq!(ended, expected, "{label}");
                assert_eq!(at_once.left(), by_steps.left(), "{label}");
            }
        }
    }
}

#[test]
fn a_new_call_abandons_the_call_before() {
    let mut machine = Machine::load(NATIVES, Nic::TABLE, 256);
    let send = machine.method("send");
    machine
        .instance
        .start(&mut machine.stack, send, &[], 100, Lifetime::PerCall)
        .unwrap();
    let step = machine.instance.run(&mut machine.stack);
    assert!(matches!(step, Step::Native { .. }), "{step:?}");
    // The heap contains the abandoned call's array of three bytes, with its header.
    assert_eq!(machine.instance.heap().used(), 16);
    // This call of `<init>` returns within its first fuel slice, and allocates nothing.
    assert_eq!(
        machine.at_once("<init>", &[], 100, Lifetime::PerCall),
        Ok(None)
    );
    assert_eq!(machine.instance.heap().used(), 0);
}

#[test]
fn a_new_call_clears_the_pending_native() {
    let mut begun = Machine::load(NATIVES, Nic::TABLE, 256);
    let send = begun.method("send");
    begun
        .instance
        .start(&mut begun.stack, send, &[], 100, Lifetime::Persistent)
        .unwrap();
    let step = begun.instance.run(&mut begun.stack);
    assert!(matches!(step, Step::Native { .. }), "{step:?}");
    assert!(!begun.stack.native_arguments().is_empty());
    // Another instance uses the same call stack, for a call that returns within its first slice.
    let mut other = Machine::load(CONTROL, Nic::TABLE, 256);
    let fibonacci = other.method("fibonacci");
    let returned = other.instance.call(
        &mut begun.stack,
        fibonacci,
        &[1],
        100,
        Lifetime::Persistent,
        &mut NoNatives,
    );
    assert_eq!(returned, Ok(Some(1)));
    assert!(begun.stack.native_arguments().is_empty());
}
