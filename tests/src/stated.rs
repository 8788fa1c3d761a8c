//! Compares a class's worst case, as the analysis states it, with the cost of calls in the reference interpreter.

use core::fmt;

use jive_core::{ClassFile, Method, NativeId, TrapKind};
use jive_embed::analysis::{Bound, Bounds, Entry, Environment, ForeignFields, Native};
use jive_embed::verify_class;
use jive_verifier::Policy;
use nic_core::sle::NicNative;

use crate::reference::{Arrays, Interpreter, Natives};
use jive_lab::Random;
use jive_lab::asm::assemble;
use jive_lab::generate::counted::{BUFFER_MAX, PARAMETER_MAX, counted};

/// Bytes of heap.
const HEAP: usize = 4096;
/// Fuel of a call in instructions, which is enough for most loops to end.
const FUEL: u64 = 4_000;
/// The natives that the classes call.
const LENGTH: NicNative = NicNative::GetFreeBufferLength;
const POP: NicNative = NicNative::GetFreeBuffer;

/// Counts of compared calls.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Number of classes.
    pub classes: u64,
    /// Number of calls.
    pub calls: u64,
    /// Number of calls with a stated bound.
    pub bounded: u64,
    /// Number of classes with a loop and a bound.
    pub loops: u64,
    /// Number of classes with a loop and a bound of which a call costs exactly the stated bound.
    pub tight: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally {
            classes,
            calls,
            bounded,
            loops,
            tight,
        } = self;
        write!(
            f,
            "{calls} calls of {classes} classes, {bounded} with a bound; {loops} classes with loops and a bound, which \
             {tight} reach"
        )
    }
}

/// Natives that answer at random within their ranges, and count their calls.
struct Answers<'r> {
    random: &'r mut Random,
    lengths: u64,
    pops: u64,
}

impl Natives for Answers<'_> {
    fn call(&mut self, id: NativeId, _: &[i32], _: &mut Arrays) -> Result<i32, TrapKind> {
        let most = usize::try_from(BUFFER_MAX).expect("it is not negative");
        let answer = i32::try_from(self.random.below(most + 1)).expect("it is small");
        if id == LENGTH.id() {
            self.lengths += 1;
            Ok(if self.random.one_in(3) {
                BUFFER_MAX
            } else {
                answer
            })
        } else if id == POP.id() {
            self.pops += 1;
            Ok(answer - 1)
        } else {
            Err(TrapKind::Unverified)
        }
    }

    fn extra_fuel(&self, _: NativeId) -> u64 {
        0
    }
}

/// Returns the entries and natives that the generated classes use.
#[must_use]
pub fn environment() -> Environment {
    let native = |native: NicNative, result| Native {
        name: native.decl().name.to_owned(),
        result,
        array_below_top: None,
        time_ps: Box::new(|_| 0),
    };
    Environment {
        entries: Some(vec![Entry {
            name: "run".to_owned(),
            descriptor: "(II)I".to_owned(),
            parameters: vec![0..=PARAMETER_MAX, i32::MIN..=i32::MAX],
            time_ps: 0,
        }]),
        natives: vec![native(LENGTH, 0..=BUFFER_MAX), native(POP, -1..=BUFFER_MAX)],
        array_length_max: u32::try_from(HEAP).expect("it is small"),
        packet: None,
        bytecode_ps: 1_000,
        foreign: ForeignFields::None,
        heap_bytes: None,
        keeps_arrays: true,
    }
}

/// Generates a class, states its bounds, and calls the class `calls` times with random arguments.
///
/// # Errors
///
/// Returns the first call that costs more than is stated, with the class.
pub fn compare(random: &mut Random, calls: u32, tally: &mut Tally) -> Result<(), String> {
    let source = counted(random);
    let assembled = assemble("counted", &source).map_err(|error| error.to_string())?;
    let bytes = assembled.bytes;
    let mut index = vec![0; ClassFile::index_len(&bytes)];
    let class = ClassFile::parse(&bytes, &mut index).map_err(|error| error.to_string())?;
    verify_class(class, Policy::ClassOnly, NicNative::TABLE, &mut ())
        .map_err(|error| format!("{error}\n{source}"))?;
    let bounds = Bounds::of(class, &environment());
    let stated = |name: &str| {
        bounds
            .entry_points
            .iter()
            .find(|bound| bound.method == name)
    };
    let bound = stated("run").ok_or("`run` is an entry")?;
    let mut interpreter = Interpreter::new(class, NicNative::TABLE, HEAP, 16);
    let mut answers = Answers {
        random,
        lengths: 0,
        pops: 0,
    };
    let found = |name: &str| class.methods().find(|method| method.name == name);
    let start = found("<clinit>").ok_or("it is declared")?;
    let loaded = interpreter.call(start, &[], FUEL, false, &mut answers);
    loaded.map_err(|trap| format!("{trap:?}"))?;
    let run = found("run").ok_or("it is declared")?;
    let mut most = 0;
    for _ in 0..calls {
        let executed = call(run, &mut interpreter, &mut answers, bound)
            .map_err(|excess| format!("{excess}\n{bound:#?}\n{source}"))?;
        most = most.max(executed);
    }
    tally.classes += 1;
    tally.calls += u64::from(calls);
    if bound.bytecodes.is_some() {
        tally.bounded += u64::from(calls);
        if !bound.loops.is_empty() {
            tally.loops += 1;
            tally.tight += u64::from(bound.bytecodes == Some(most));
        }
    }
    Ok(())
}

/// Makes a call, and returns how many instructions the call executed.
fn call<'c>(
    method: Method<'c>,
    interpreter: &mut Interpreter<'c>,
    answers: &mut Answers<'_>,
    bound: &Bound,
) -> Result<u64, String> {
    let most = usize::try_from(PARAMETER_MAX).expect("it is not negative");
    let first = match answers.random.below(3) {
        0 => PARAMETER_MAX,
        _ => i32::try_from(answers.random.below(most + 1)).expect("it is small"),
    };
    let arguments = [first, answers.random.int()];
    (answers.lengths, answers.pops) = (0, 0);
    let ended = interpreter.call(method, &arguments, FUEL, false, answers);
    if ended.is_err_and(|trap| trap.kind == TrapKind::Unverified) {
        return Err("a verified class broke a promise".to_owned());
    }
    let executed = interpreter.executed;
    let check = |what: &str, observed: u64, stated: Option<u64>| {
        if stated.is_some_and(|stated| observed > stated) {
            return Err(format!(
                "run{arguments:?}: {observed} {what}, {stated:?} stated"
            ));
        }
        Ok(())
    };
    check("instructions", executed, bound.bytecodes)?;
    let stated = |native: NicNative| {
        let stated = bound.natives.get(native.decl().name).copied();
        // A native that is missing in the stated bound is never called.
        stated.unwrap_or(Some(0))
    };
    check("calls of a native", answers.lengths, stated(LENGTH))?;
    check("calls of a native", answers.pops, stated(POP))?;
    Ok(executed)
}
