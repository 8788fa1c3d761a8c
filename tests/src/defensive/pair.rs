//! Runs the shipped and the defensive interpreter side by side, and compares everything observable.

use core::fmt;

use jive_core::{ArrayKind, FieldId, Lifetime, MethodId};

use super::interpreter::{Ended, Interpreter};
use super::members::Signature;
use super::natives::NativeAnswers;
use super::states::States;
use super::value::Value;
use super::{Declared, Violation};
use crate::machine::{Machine, Room};
use jive_lab::Random;

/// The two interpreters with the same class.
pub struct Pair<'p, 'm> {
    fast: &'p mut Machine<'m>,
    slow: Interpreter<'m>,
    /// Arrays made by the test, which outlive calls.
    arrays: Vec<Value>,
}

/// A failure of the comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The class broke a promise of its verification.
    Violation(Violation),
    /// The two interpreters differ.
    Differs {
        /// The differing quantity.
        what: &'static str,
        /// The value in the shipped interpreter.
        fast: String,
        /// The value in the defensive interpreter.
        slow: String,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Violation(violation) => write!(f, "{violation}"),
            Finding::Differs { what, fast, slow } => {
                write!(f, "{what}: shipped {fast}, defensive {slow}")
            }
        }
    }
}

impl From<Violation> for Finding {
    fn from(violation: Violation) -> Finding {
        Finding::Violation(violation)
    }
}

impl<'p, 'm> Pair<'p, 'm> {
    /// Loads the class of a fresh machine into a defensive interpreter.
    ///
    /// # Panics
    ///
    /// Panics if a field has a type outside the subset, which the verifier excludes.
    pub fn new(fast: &'p mut Machine<'m>, states: States, room: Room) -> Pair<'p, 'm> {
        let slow = Interpreter::new(fast.class, states, room.heap, room.frames)
            .expect("the verifier has checked the types of fields");
        Pair {
            fast,
            slow,
            arrays: Vec::new(),
        }
    }

    /// Returns how many instructions the last call executed.
    #[must_use]
    pub fn executed(&self) -> u64 {
        self.fast.stack.executed()
    }

    /// Returns the execution count of each instruction since the class was loaded, by method, then pc.
    #[must_use]
    pub fn visits(&self) -> &[Vec<u64>] {
        self.slow.visits()
    }

    /// Sets the fuel of following calls.
    pub fn set_fuel(&mut self, fuel: u64) {
        self.fast.fuel = fuel;
    }

    /// Runs the static initializer and the constructor, as loading does, up to the first trap.
    ///
    /// # Errors
    ///
    /// Returns the failure of the comparison.
    pub fn load(&mut self, natives: &NativeAnswers) -> Result<(), Finding> {
        let program = self.fast.instance.program();
        for method in program.initializers() {
            if self
                .call(method, &[], Lifetime::Persistent, natives)?
                .is_err()
            {
                break;
            }
        }
        Ok(())
    }

    /// Makes an array filled with `byte`, for use as an argument.
    pub fn make_array(&mut self, kind: ArrayKind, length: i32, byte: u8) {
        let reference = self.fast.instance.heap_mut().allocate(kind, length);
        let array = self.slow.arrays.make(kind, length);
        if let (Ok(reference), Ok(array)) = (reference, array) {
            assert_eq!(self.slow.raw(array), Ok(reference), "addresses agree");
            let byte = if kind == ArrayKind::Boolean {
                byte & 1
            } else {
                byte
            };
            let bytes = self.fast.instance.heap_mut().bytes_mut(reference);
            bytes.expect("it was just made").fill(byte);
            self.slow.fill(array, byte).expect("it was just made");
            self.arrays.push(array);
        }
    }

    /// Stores the array that the test made last in a field of its type, as the runtime does with `RxBuf`.
    pub fn set_field_to_array(&mut self, id: FieldId) {
        if let Some(&array) = self.arrays.last() {
            let raw = self.slow.raw(array).expect("arrays from outside stay");
            self.fast.instance.set_field(id, raw);
            self.slow.set_field(id, array);
        }
    }

    /// Makes arguments that fit a method's descriptor: any `int`, null, an array made by the test, or the object.
    pub fn arguments(&self, method: MethodId, random: &mut Random) -> Vec<Value> {
        let method = self.fast.class.method(method);
        let signature = method.and_then(|method| Signature::of(&method));
        let parameters = signature.map_or_else(Vec::new, |signature| signature.parameters);
        let mut argument = |declared: Declared| {
            let fitting: Vec<Value> = [Value::Null, Value::This]
                .into_iter()
                .chain(self.arrays.iter().copied())
                .filter(|value| declared.accepts(*value))
                .collect();
            match fitting.len() {
                0 => Value::Int(random.int()),
                count => fitting[random.below(count)],
            }
        };
        parameters.into_iter().map(&mut argument).collect()
    }

    /// Calls a method on both interpreters and compares everything observable.
    ///
    /// # Errors
    ///
    /// Returns the failure of the comparison.
    pub fn call(
        &mut self,
        method: MethodId,
        arguments: &[Value],
        lifetime: Lifetime,
        natives: &NativeAnswers,
    ) -> Result<Ended, Finding> {
        let (mut asked_fast, mut asked_slow) = (natives.clone(), natives.clone());
        let raw = |slow: &Interpreter<'_>, value| slow.raw(value).ok();
        let plain: Vec<i32> = arguments
            .iter()
            .map(|value| raw(&self.slow, *value).unwrap_or(0))
            .collect();
        let fuel = self.fast.fuel;
        let ended = self
            .slow
            .call(method, arguments, fuel, lifetime, &mut asked_slow)?;
        let fast = self.fast.call(method, &plain, lifetime, &mut asked_fast);
        // A transient array ends with its call, so only the fact that the result is an array can be compared.
        let slow = ended.map(|value| value.map(|value| raw(&self.slow, value)));
        let agree = match (fast, slow) {
            (Ok(Some(fast)), Ok(Some(Some(slow)))) => fast == slow,
            (Ok(Some(fast)), Ok(Some(None))) => fast > 0,
            (Ok(None), Ok(None)) => true,
            (Err(fast), Err(slow)) => fast == slow,
            (Ok(_), _) | (Err(_), Ok(_)) => false,
        };
        same("outcome", agree, fast, ended)?;
        let spent = (self.fast.stack.executed(), self.fast.stack.fuel_left());
        let slow_spent = self.slow.spent();
        same("executed and fuel", spent == slow_spent, spent, slow_spent)?;
        same(
            "natives",
            asked_fast.asked == asked_slow.asked,
            &asked_fast.asked,
            &asked_slow.asked,
        )?;
        self.compare_memory()?;
        Ok(ended)
    }

    fn compare_memory(&self) -> Result<(), Finding> {
        let fast = self.fast.instance.fields();
        let fields = self.slow.fields.iter().zip(fast);
        for ((declared, value), &fast) in fields {
            let holds = declared.accepts(*value) && self.slow.raw(*value) == Ok(fast);
            same("field", holds, fast, value)?;
        }
        let contents = self.fast.instance.heap().contents();
        let heaps_agree = self.slow.arrays.are(contents);
        same("heap", heaps_agree, contents, &self.slow.arrays)
    }
}

fn same(
    what: &'static str,
    agree: bool,
    fast: impl fmt::Debug,
    slow: impl fmt::Debug,
) -> Result<(), Finding> {
    if agree {
        return Ok(());
    }
    Err(Finding::Differs {
        what,
        fast: format!("{fast:?}"),
        slow: format!("{slow:?}"),
    })
}
