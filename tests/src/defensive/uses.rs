//! The effect of instructions on members: loading and storing fields, calling methods and natives, returning.

use jive_core::{Method, MethodAccess, Opcode, Operand, TrapKind};

use super::Breach;
use super::interpreter::{Stop, dangling};
use super::members::{Callee, Declared, Signature, callee, field};
use super::natives::{NativeAnswers, Outcome, first_array};
use super::step::Doing;
use super::value::Value;

impl<'c> Doing<'_, 'c> {
    pub(super) fn field(&mut self) -> Result<(), Stop> {
        use Opcode as O;
        let opcode = self.insn.opcode;
        let Operand::Constant(index) = self.insn.operand else {
            return Err(Breach::NoInstruction.into());
        };
        let (named, is_static) = field(self.machine.class, index).ok_or(Breach::NoMember)?;
        if is_static != matches!(opcode, O::Getstatic | O::Putstatic) {
            return Err(Breach::NoMember.into());
        }
        let place = named.id.index();
        let (declared, held) = self.machine.fields[place];
        if matches!(opcode, O::Getstatic | O::Getfield) {
            if !is_static {
                self.pop_this()?;
            }
            if !declared.accepts(held) {
                return Err(Breach::Field { found: held }.into());
            }
            return Ok(self.push(held)?);
        }
        let value = self.pop()?;
        if !declared.accepts(value) {
            return Err(self.confused(value).into());
        }
        if !is_static {
            // A store to an own field is the only use of `this` allowed before `Object.<init>` (JVMS §4.10.2.4).
            match self.frame.stack.last() {
                Some(Value::RawThis) => _ = self.pop()?,
                _ => self.pop_this()?,
            }
        }
        if let Value::Array(array) = value {
            self.machine.arrays.elements(array).ok_or(dangling(array))?;
            if self.machine.arrays.is_transient(array) {
                return Err(TrapKind::TransientEscape.into());
            }
        }
        self.machine.fields[place].1 = declared.narrowed(value);
        Ok(())
    }

    /// Checks and narrows the method's result.
    pub(super) fn returned(&mut self) -> Result<Option<Value>, Breach> {
        if self.frame.initialized == Some(false) {
            return Err(Breach::NotInitialized);
        }
        let Some(declared) = self.frame.signature.result else {
            return match self.insn.opcode {
                Opcode::Return => Ok(None),
                _ => Err(Breach::NoInstruction),
            };
        };
        let value = self.pop()?;
        let expected = match value {
            Value::Int(_) => Opcode::Ireturn,
            _ => Opcode::Areturn,
        };
        if self.insn.opcode != expected || !declared.accepts(value) {
            return Err(Breach::Signature { found: value });
        }
        Ok(Some(declared.narrowed(value)))
    }

    /// Performs a call of a native or of `Object.<init>`, which needs no frame. For any other method, returns the
    /// method with its arguments.
    pub(super) fn call(
        &mut self,
        natives: &mut NativeAnswers,
    ) -> Result<Option<(Method<'c>, Vec<Value>)>, Stop> {
        let Operand::Constant(index) = self.insn.operand else {
            return Err(Breach::NoInstruction.into());
        };
        let is_static = self.insn.opcode == Opcode::Invokestatic;
        match callee(self.machine.class, natives.table(), index).ok_or(Breach::NoMember)? {
            Callee::ObjectInit => {
                let found = self.pop()?;
                if self.insn.opcode != Opcode::Invokespecial || found != Value::RawThis {
                    return Err(self.confused(found).into());
                }
                self.frame.initialized = Some(true);
                let values = self.frame.locals.iter_mut().chain(&mut self.frame.stack);
                for value in values.filter(|value| **value == Value::RawThis) {
                    *value = Value::This;
                }
                Ok(None)
            }
            Callee::Method(method) => {
                let parameters = Signature::of(&method).ok_or(Breach::NoMember)?.parameters;
                let declared_static = method.access.contains(MethodAccess::STATIC);
                if declared_static != is_static || method.name.as_bytes().starts_with(b"<") {
                    return Err(Breach::NoMember.into());
                }
                let count = parameters.len() + usize::from(!is_static);
                let values = self.arguments(count, !is_static)?;
                Ok(Some((method, values)))
            }
            Callee::Native {
                id,
                decl,
                has_receiver,
            } => {
                if has_receiver == is_static {
                    return Err(Breach::NoMember.into());
                }
                let count = decl.parameters.len() + usize::from(has_receiver);
                let mut values = self.arguments(count, has_receiver)?;
                values.drain(..usize::from(has_receiver));
                for (parameter, value) in decl.parameters.iter().zip(&values) {
                    if !Declared::of_native(parameter.kind).accepts(*value) {
                        return Err(Breach::Signature { found: *value }.into());
                    }
                }
                let extra = NativeAnswers::extra(id);
                if self.machine.fuel < extra {
                    // If the fuel does not suffice for a native, its call does not count as executed.
                    self.machine.fuel += 1;
                    self.machine.executed -= 1;
                    return Err(TrapKind::FuelExhausted.into());
                }
                self.machine.fuel -= extra;
                let asked = values.iter().map(|value| self.machine.raw(*value));
                let asked = asked.collect::<Result<_, Breach>>()?;
                let answer = natives.answer(id, asked);
                let result = match answer.result {
                    Outcome::Trap(kind) => return Err(kind.into()),
                    Outcome::Nothing => None,
                    Outcome::Int(value) => Some(Value::Int(value)),
                    Outcome::Null => Some(Value::Null),
                    Outcome::Array(kind, length) => Some(self.machine.arrays.make(kind, length)?),
                };
                if let (Some(byte), Some(place)) = (answer.filled, first_array(decl)) {
                    self.machine.fill(values[place], byte)?;
                }
                if let Some(value) = result {
                    self.push(value)?;
                }
                Ok(None)
            }
        }
    }

    /// Pops the arguments of a call, with the receiver first, and traps on a null receiver.
    fn arguments(&mut self, count: usize, has_receiver: bool) -> Result<Vec<Value>, Stop> {
        let start = self.frame.stack.len().checked_sub(count);
        let values = self.frame.stack.split_off(start.ok_or(Breach::Underflow)?);
        if has_receiver && values.first() == Some(&Value::Null) {
            return Err(TrapKind::NullPointerException.into());
        }
        Ok(values)
    }
}
