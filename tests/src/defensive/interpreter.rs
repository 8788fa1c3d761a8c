//! The defensive interpreter: frames, fuel, and the execution of one instruction after another.

use jive_core::{
    ArrayKind, ClassFile, Constant, FieldId, Lifetime, Method, MethodAccess, MethodId, Opcode, Pc,
    Trap, TrapKind, decode,
};

use super::arrays::Arrays;
use super::members::{Declared, Signature};
use super::natives::NativeAnswers;
use super::states::{Concrete, States};
use super::step::Doing;
use super::value::{ArrayRef, Value};
use super::{Breach, Violation, compute};

/// How a call ended.
pub type Ended = Result<Option<Value>, Trap>;

/// Why an instruction did not complete.
pub(super) enum Stop {
    Trap(TrapKind),
    Breach(Breach),
}

impl From<TrapKind> for Stop {
    fn from(kind: TrapKind) -> Stop {
        Stop::Trap(kind)
    }
}

impl From<Breach> for Stop {
    fn from(breach: Breach) -> Stop {
        Stop::Breach(breach)
    }
}

/// One call of a method.
pub(super) struct Frame<'c> {
    method: Method<'c>,
    code: &'c [u8],
    max_stack: usize,
    pub(super) signature: Signature,
    pc: Pc,
    pub(super) locals: Vec<Value>,
    pub(super) stack: Vec<Value>,
    /// In a constructor, whether `Object.<init>` has been called; `None` in other methods.
    pub(super) initialized: Option<bool>,
}

/// A loaded class: its fields and arrays, and the verifier's inferred states.
pub struct Interpreter<'c> {
    pub(super) class: ClassFile<'c>,
    states: States,
    pub(super) fields: Vec<(Declared, Value)>,
    pub(super) arrays: Arrays,
    frames_max: usize,
    pub(super) fuel: u64,
    pub(super) executed: u64,
    /// Execution count of the instruction at each pc, by method.
    visits: Vec<Vec<u64>>,
}

impl<'c> Interpreter<'c> {
    /// Loads a class that the verifier accepted, with a limited heap and call depth; returns `None` if a field's type
    /// is outside the subset.
    #[must_use]
    pub fn new(
        class: ClassFile<'c>,
        states: States,
        heap: usize,
        frames_max: usize,
    ) -> Option<Interpreter<'c>> {
        let mut fields = Vec::new();
        for field in class.fields() {
            let declared = Declared::of_field(&field)?;
            let value = match field.constant_value() {
                None => declared.initial(),
                Some(index) => match class.pool().get(index).ok()? {
                    Constant::Integer(value) => declared.narrowed(Value::Int(value)),
                    _ => return None,
                },
            };
            fields.push((declared, value));
        }
        Some(Interpreter {
            class,
            states,
            fields,
            arrays: Arrays::new(heap),
            frames_max,
            fuel: 0,
            executed: 0,
            visits: class
                .methods()
                .map(|method| vec![0; method.code().map_or(0, |code| code.bytes.len())])
                .collect(),
        })
    }

    /// Returns the execution count of each instruction since the class was loaded, by method, then pc.
    #[must_use]
    pub fn visits(&self) -> &[Vec<u64>] {
        &self.visits
    }

    /// Returns how many instructions the last call executed, and the fuel that remained.
    #[must_use]
    pub fn spent(&self) -> (u64, u64) {
        (self.executed, self.fuel)
    }

    pub(super) fn set_field(&mut self, id: FieldId, value: Value) {
        self.fields[id.index()].1 = value;
    }

    /// Calls a method from outside, and supplies the receiver if the method needs one.
    ///
    /// # Errors
    ///
    /// Returns an error if the class breaks a promise of its verification; a trap is no error.
    pub fn call(
        &mut self,
        method: MethodId,
        arguments: &[Value],
        fuel: u64,
        lifetime: Lifetime,
        natives: &mut NativeAnswers,
    ) -> Result<Ended, Violation> {
        (self.fuel, self.executed) = (fuel, 0);
        self.arrays.begin(lifetime);
        let outcome = self.run(method, arguments, natives);
        self.arrays.end();
        outcome
    }

    fn run(
        &mut self,
        id: MethodId,
        arguments: &[Value],
        natives: &mut NativeAnswers,
    ) -> Result<Ended, Violation> {
        let outside = |breach| Violation {
            method: id,
            pc: Pc(0),
            breach,
        };
        let method = self.class.method(id).ok_or(outside(Breach::NoMember))?;
        let mut values = Vec::new();
        if !method.access.contains(MethodAccess::STATIC) {
            values.push(if method.name == "<init>" {
                Value::RawThis
            } else {
                Value::This
            });
        }
        values.extend_from_slice(arguments);
        let mut frames = vec![enter(method, values).map_err(outside)?];
        loop {
            let frame = frames.last().expect("the outermost frame ends the loop");
            let (method, pc) = (frame.method.id, frame.pc);
            match self.instruction(&mut frames, natives) {
                Ok(None) => {}
                Ok(Some(result)) => return Ok(Ok(result)),
                Err(Stop::Trap(kind)) => return Ok(Err(Trap { kind, method, pc })),
                Err(Stop::Breach(breach)) => return Err(Violation { method, pc, breach }),
            }
        }
    }

    /// Executes an instruction of the innermost frame, and returns the outermost call's result if that call returns.
    fn instruction(
        &mut self,
        frames: &mut Vec<Frame<'c>>,
        natives: &mut NativeAnswers,
    ) -> Result<Option<Option<Value>>, Stop> {
        let depth = frames.len();
        let frame = frames.last_mut().ok_or(Breach::NoInstruction)?;
        self.states.check(
            frame.method.id,
            frame.pc,
            Concrete {
                locals: &frame.locals,
                stack: &frame.stack,
                initialized: frame.initialized,
            },
        )?;
        let insn = decode(frame.code, frame.pc).map_err(|_| Breach::NoInstruction)?;
        self.fuel = self.fuel.checked_sub(1).ok_or(TrapKind::FuelExhausted)?;
        self.executed += 1;
        self.visits[frame.method.id.index()][frame.pc.index()] += 1;
        let mut next = i64::from(insn.next_pc());
        let mut doing = Doing {
            machine: self,
            frame,
            insn,
        };
        match insn.opcode {
            Opcode::Ireturn | Opcode::Areturn | Opcode::Return => {
                let result = doing.returned()?;
                frames.pop();
                let Some(caller) = frames.last_mut() else {
                    return Ok(Some(result));
                };
                if let Some(value) = result {
                    push(caller, value)?;
                }
                // An `invoke` instruction has three bytes, so the caller continues after them (JVMS §6.5.invokestatic).
                caller.pc = Pc(caller.pc.0.saturating_add(3));
                return Ok(None);
            }
            Opcode::Invokestatic | Opcode::Invokevirtual | Opcode::Invokespecial => {
                if let Some((method, values)) = doing.call(natives)? {
                    if depth == self.frames_max {
                        return Err(Stop::Trap(TrapKind::StackOverflowError));
                    }
                    frames.push(enter(method, values)?);
                    return Ok(None);
                }
            }
            _ => {
                if let Some(target) = doing.simple()? {
                    next = target;
                }
            }
        }
        frame.pc = u16::try_from(next)
            .map(Pc)
            .map_err(|_| Breach::NoInstruction)?;
        Ok(None)
    }
}

/// Begins a call, and checks its arguments against the method's descriptor.
fn enter(method: Method<'_>, arguments: Vec<Value>) -> Result<Frame<'_>, Breach> {
    let code = method.code().ok_or(Breach::NoMember)?;
    let signature = Signature::of(&method).ok_or(Breach::NoMember)?;
    let is_constructor = method.name == "<init>";
    let receiver = usize::from(!method.access.contains(MethodAccess::STATIC));
    let (this, parameters) = arguments
        .split_at_checked(receiver)
        .ok_or(Breach::Underflow)?;
    let expected_this = if is_constructor {
        Value::RawThis
    } else {
        Value::This
    };
    if let Some(found) = this.iter().find(|value| **value != expected_this) {
        return Err(Breach::Signature { found: *found });
    }
    if parameters.len() != signature.parameters.len() {
        return Err(Breach::Underflow);
    }
    let declared = signature.parameters.iter().zip(parameters);
    for (declared, &found) in declared {
        if !declared.accepts(found) {
            return Err(Breach::Signature { found });
        }
    }
    let mut locals = arguments;
    let max_locals = usize::from(code.max_locals);
    if locals.len() > max_locals {
        return Err(Breach::NoLocal {
            local: code.max_locals,
        });
    }
    locals.resize(max_locals, Value::Unset);
    Ok(Frame {
        method,
        code: code.bytes,
        max_stack: usize::from(code.max_stack),
        signature,
        pc: Pc(0),
        locals,
        stack: Vec::new(),
        initialized: is_constructor.then_some(false),
    })
}

pub(super) fn push(frame: &mut Frame<'_>, value: Value) -> Result<(), Breach> {
    if frame.stack.len() == frame.max_stack {
        return Err(Breach::Overflow);
    }
    frame.stack.push(value);
    Ok(())
}

impl Interpreter<'_> {
    /// Returns a value as the shipped interpreter represents it.
    pub(super) fn raw(&self, value: Value) -> Result<i32, Breach> {
        match value {
            Value::Int(value) => Ok(value),
            Value::Null => Ok(0),
            Value::Array(array) => self.arrays.address(array).ok_or(dangling(array)),
            // For the instance, whose reference is never shown, any non-null number will do that names no array.
            Value::This | Value::RawThis => Ok(-1),
            Value::Unset => Err(Breach::Field { found: value }),
        }
    }

    /// Sets every byte of an array; does nothing for null.
    pub(super) fn fill(&mut self, array: Value, byte: u8) -> Result<(), Breach> {
        let Value::Array(array) = array else {
            return Ok(());
        };
        let element = i32::from_be_bytes([byte; 4]);
        let elements = self.arrays.elements_mut(array).ok_or(dangling(array))?;
        elements.fill(match array.kind {
            ArrayKind::Boolean | ArrayKind::Byte => compute::sign_extended(element, 8),
            ArrayKind::Short => compute::sign_extended(element, 16),
            ArrayKind::Int => element,
        });
        Ok(())
    }
}

pub(super) fn dangling(array: ArrayRef) -> Breach {
    Breach::Dangling {
        found: Value::Array(array),
    }
}
