//! Calls, and their fuel.

use jive_core::{
    ArrayView, FieldType, Lifetime, MethodDescriptor, MethodId, Natives, Step, Trap, TrapKind,
    parse_field,
};

use crate::members::JiveMethod;
use crate::natives::Performing;
use crate::state::{Jive, Loaded, status};
use crate::{JiveStatus, given};

/// Sets the fuel of each call that follows: how many instructions it may execute.
///
/// # Safety
///
/// `jive` is of `jive_load`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_fuel(jive: *mut Jive, fuel: u64) -> JiveStatus {
    // SAFETY: The caller promises it.
    status(unsafe {
        Jive::with(jive, |loaded| {
            loaded.fuel = fuel;
            Ok(())
        })
    })
}

/// Returns the fuel that the last call used, or 0 if there was none.
///
/// # Safety
///
/// `jive` is of `jive_load`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_fuel_used(jive: *const Jive) -> u64 {
    // SAFETY: The caller promises it.
    unsafe { Jive::with(jive, |loaded| Ok(loaded.used)) }.unwrap_or(0)
}

/// Calls a method. The instance is the receiver of a method that is not static.
///
/// Arrays that the call allocates are freed at its end. After a trap the instance can still be called: its fields keep
/// the state of the call that trapped. The result of a method that returns an array of the call is 0.
///
/// # Safety
///
/// `jive` is of `jive_load`; `arguments` leads to `argument_count` numbers; `result` is null or leads to an `int32_t`,
/// which a void method leaves as it is. The callbacks of the natives may be called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_call(
    jive: *mut Jive,
    method: JiveMethod,
    arguments: *const i32,
    argument_count: usize,
    result: *mut i32,
) -> JiveStatus {
    // SAFETY: The caller promises it.
    status(unsafe {
        Jive::with(jive, |loaded| {
            loaded.trap = None;
            loaded.exhausted = None;
            let arguments = given::slice(arguments, argument_count)?;
            let id = method.id()?;
            if !loaded.takes(id, arguments) {
                return Err(JiveStatus::Argument);
            }
            loaded.granted = loaded.fuel;
            let mut natives = Performing(loaded.natives);
            let outcome = loaded.instance.call(
                &mut loaded.stack,
                id,
                arguments,
                loaded.fuel,
                Lifetime::PerCall,
                &mut natives,
            );
            let value = loaded.ended(id, outcome)?;
            value.map_or(Ok(()), |value| given::put_if_wanted(result, value))
        })
    })
}

/// Runs on the call that has just run out of fuel, with more. In the end the call has done what it would have done with
/// all fuel at once, and `jive_fuel_used` counts all of it. Answers `JIVE_STATUS_ARGUMENT` if the last call did not run
/// out of fuel.
///
/// # Safety
///
/// As for `jive_call`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_resume(jive: *mut Jive, fuel: u64, result: *mut i32) -> JiveStatus {
    // SAFETY: The caller promises it.
    status(unsafe {
        Jive::with(jive, |loaded| {
            let id = loaded.exhausted.take().ok_or(JiveStatus::Argument)?;
            loaded.trap = None;
            loaded.granted = loaded.granted.saturating_add(fuel);
            let outcome = loaded.run_on(fuel);
            let value = loaded.ended(id, outcome)?;
            value.map_or(Ok(()), |value| given::put_if_wanted(result, value))
        })
    })
}

impl Loaded {
    /// Returns whether a method has code and takes these arguments: arrays of the instance where it takes arrays.
    fn takes(&self, id: MethodId, arguments: &[i32]) -> bool {
        let Some(method) = self.class.class.method(id) else {
            return false;
        };
        let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes());
        let Ok(descriptor) = descriptor else {
            return false;
        };
        let mut arguments = arguments.iter().copied();
        let fit = descriptor.parameters().all(|kind| {
            let argument = arguments.next();
            argument.is_some_and(|argument| self.fits(kind, argument))
        });
        fit && arguments.next().is_none() && method.code().is_some()
    }

    /// Returns whether a value from outside may be an argument or a field of this type.
    pub(crate) fn fits(&self, kind: FieldType<'_>, value: i32) -> bool {
        match kind {
            FieldType::Int => true,
            FieldType::Byte => i8::try_from(value).is_ok(),
            FieldType::Short => i16::try_from(value).is_ok(),
            FieldType::Boolean => value == 0 || value == 1,
            FieldType::Array { .. } => {
                let array = self.instance.heap().array(value);
                let is_of =
                    |array: ArrayView| parse_field(array.kind.descriptor().as_bytes()) == Ok(kind);
                value == 0 || array.is_some_and(is_of)
            }
            // The subset has no values of these types but null, and the class itself, whose object C cannot name.
            FieldType::Char
            | FieldType::Double
            | FieldType::Float
            | FieldType::Long
            | FieldType::Object(_) => value == 0,
        }
    }

    /// Runs a call that ran out of fuel to its end.
    fn run_on(&mut self, fuel: u64) -> Result<Option<i32>, Trap> {
        let mut natives = Performing(self.natives);
        let mut step = self.instance.refuel(&mut self.stack, fuel);
        loop {
            let id = match step {
                Step::Returned(value) => return Ok(value),
                Step::Trapped(trap) => return Err(trap),
                Step::Native { id, .. } => id,
            };
            let arguments = self.stack.native_arguments();
            let outcome = natives.call(id, arguments, self.instance.heap_mut());
            self.stack.resume(outcome);
            step = self.instance.run(&mut self.stack);
        }
    }

    /// Notes how a call ended.
    fn ended(
        &mut self,
        id: MethodId,
        outcome: Result<Option<i32>, Trap>,
    ) -> Result<Option<i32>, JiveStatus> {
        self.used = self.granted.saturating_sub(self.stack.fuel_left());
        let value = outcome.map_err(|trap| {
            self.trap = Some(trap);
            self.exhausted = (trap.kind == TrapKind::FuelExhausted).then_some(id);
            JiveStatus::Trapped
        })?;
        let returns_array = self.class.class.method(id).is_some_and(|method| {
            let descriptor = method.descriptor.as_bytes();
            descriptor.iter().rev().nth(1) == Some(&b'[')
        });
        // An array of the call is freed with it, so its number leads nowhere.
        let is_freed = |value: &i32| returns_array && self.instance.heap().array(*value).is_none();
        Ok(value.map(|value| if is_freed(&value) { 0 } else { value }))
    }
}
