//! The effect of each instruction that neither calls nor returns, on values that carry types.

use jive_core::{ArrayKind, Constant, Insn, Opcode, Operand, TrapKind};

use super::arrays::Refusal;
use super::interpreter::{Frame, Interpreter, Stop, dangling, push};
use super::value::{ArrayRef, Value};
use super::{Breach, compute};

/// An instruction during its execution.
pub(super) struct Doing<'d, 'c> {
    pub(super) machine: &'d mut Interpreter<'c>,
    pub(super) frame: &'d mut Frame<'c>,
    pub(super) insn: Insn<'c>,
}

impl<'c> Doing<'_, 'c> {
    pub(super) fn confused(&self, found: Value) -> Breach {
        Breach::Confusion {
            opcode: self.insn.opcode,
            found,
        }
    }

    pub(super) fn push(&mut self, value: Value) -> Result<(), Breach> {
        push(self.frame, value)
    }

    pub(super) fn pop(&mut self) -> Result<Value, Breach> {
        self.frame.stack.pop().ok_or(Breach::Underflow)
    }

    fn pop_int(&mut self) -> Result<i32, Breach> {
        match self.pop()? {
            Value::Int(value) => Ok(value),
            found => Err(self.confused(found)),
        }
    }

    /// Pops a reference to the initialized object, and traps on null.
    pub(super) fn pop_this(&mut self) -> Result<(), Stop> {
        match self.pop()? {
            Value::This => Ok(()),
            Value::Null => Err(TrapKind::NullPointerException.into()),
            found => Err(self.confused(found).into()),
        }
    }

    /// Pops an array of one of these kinds, and traps on null.
    fn pop_array(&mut self, kinds: &[ArrayKind]) -> Result<ArrayRef, Stop> {
        match self.pop()? {
            Value::Array(array) if kinds.contains(&array.kind) => Ok(array),
            Value::Null => Err(TrapKind::NullPointerException.into()),
            found => Err(self.confused(found).into()),
        }
    }

    fn local(&mut self, local: u16) -> Result<&mut Value, Breach> {
        self.frame
            .locals
            .get_mut(usize::from(local))
            .ok_or(Breach::NoLocal { local })
    }

    /// Executes an instruction that neither calls nor returns. Returns the branch target if the instruction branches.
    pub(super) fn simple(&mut self) -> Result<Option<i64>, Stop> {
        use Opcode as O;
        let opcode = self.insn.opcode;
        match (opcode, self.insn.operand) {
            (O::Nop, _) => {}
            (O::AconstNull, _) => self.push(Value::Null)?,
            (O::Ldc | O::LdcW, Operand::Constant(index)) => {
                match self.machine.class.pool().get(index) {
                    Ok(Constant::Integer(value)) => self.push(Value::Int(value))?,
                    _ => return Err(Breach::NoMember.into()),
                }
            }
            // `bipush`, `sipush` and the `iconst` family.
            (_, Operand::Int(value)) => self.push(Value::Int(value))?,
            (_, Operand::Local(local)) => self.local_variable(local)?,
            (O::Iinc, Operand::LocalIncrement { local, by }) => {
                let variable = *self.local(local)?;
                let Value::Int(value) = variable else {
                    return Err(self.confused(variable).into());
                };
                let sum = compute::wrap(i64::from(value) + i64::from(by));
                *self.local(local)? = Value::Int(sum);
            }
            (O::Baload, _) => self.load_element(&[ArrayKind::Byte, ArrayKind::Boolean])?,
            (O::Saload, _) => self.load_element(&[ArrayKind::Short])?,
            (O::Iaload, _) => self.load_element(&[ArrayKind::Int])?,
            (O::Bastore, _) => self.store_element(&[ArrayKind::Byte, ArrayKind::Boolean])?,
            (O::Sastore, _) => self.store_element(&[ArrayKind::Short])?,
            (O::Iastore, _) => self.store_element(&[ArrayKind::Int])?,
            (O::Arraylength, _) => {
                let array = self.pop_array(&ArrayKind::ALL)?;
                let elements = self.machine.arrays.elements(array);
                let length = elements.ok_or(dangling(array))?.len();
                let length = i32::try_from(length).expect("it was made of an `int`");
                self.push(Value::Int(length))?;
            }
            (O::Newarray, Operand::ArrayType(code)) => {
                let kind = ArrayKind::from_newarray_code(code).ok_or(Breach::NoMember)?;
                let length = self.pop_int()?;
                let array = self.machine.arrays.make(kind, length)?;
                self.push(array)?;
            }
            (O::Pop, _) => self.rearrange(1, &[])?,
            (O::Pop2, _) => self.rearrange(2, &[])?,
            // A shuffle numbers its operands from the deepest one that it uses (JVMS §6.5).
            (O::Dup, _) => self.rearrange(1, &[0, 0])?,
            (O::DupX1, _) => self.rearrange(2, &[1, 0, 1])?,
            (O::DupX2, _) => self.rearrange(3, &[2, 0, 1, 2])?,
            (O::Dup2, _) => self.rearrange(2, &[0, 1, 0, 1])?,
            (O::Dup2X1, _) => self.rearrange(3, &[1, 2, 0, 1, 2])?,
            (O::Dup2X2, _) => self.rearrange(4, &[2, 3, 0, 1, 2, 3])?,
            (O::Swap, _) => self.rearrange(2, &[1, 0])?,
            (O::Goto | O::GotoW, Operand::Branch(target)) => return Ok(Some(target)),
            (O::Ifnull | O::Ifnonnull, Operand::Branch(target)) => {
                let value = self.pop()?;
                if !value.is_reference() {
                    return Err(self.confused(value).into());
                }
                let branches = (value == Value::Null) == (opcode == O::Ifnull);
                return Ok(branches.then_some(target));
            }
            (O::IfAcmpeq | O::IfAcmpne, Operand::Branch(target)) => {
                let (second, first) = (self.pop()?, self.pop()?);
                for value in [first, second] {
                    if !value.is_reference() || value == Value::RawThis {
                        return Err(self.confused(value).into());
                    }
                }
                let branches = (first == second) == (opcode == O::IfAcmpeq);
                return Ok(branches.then_some(target));
            }
            (_, Operand::Branch(target)) => {
                let second = self.pop_int()?;
                let branches = match compute::against_zero(opcode, second) {
                    Some(branches) => branches,
                    None => {
                        let first = self.pop_int()?;
                        compute::of_two(opcode, first, second).ok_or(Breach::NoInstruction)?
                    }
                };
                return Ok(branches.then_some(target));
            }
            (O::Tableswitch, Operand::TableSwitch(switch)) => {
                let key = self.pop_int()?;
                let case = switch.cases().find(|(case, _)| *case == key);
                return Ok(Some(case.map_or(switch.default(), |(_, target)| target)));
            }
            (O::Lookupswitch, Operand::LookupSwitch(switch)) => {
                let key = self.pop_int()?;
                let case = switch.cases().find(|(case, _)| *case == key);
                return Ok(Some(case.map_or(switch.default(), |(_, target)| target)));
            }
            (O::Getstatic | O::Putstatic | O::Getfield | O::Putfield, _) => self.field()?,
            _ => self.arithmetic()?,
        }
        Ok(None)
    }

    fn arithmetic(&mut self) -> Result<(), Stop> {
        let opcode = self.insn.opcode;
        let value = self.pop_int()?;
        let result = match compute::unary(opcode, value) {
            Some(result) => result,
            None => {
                let first = self.pop_int()?;
                compute::binary(opcode, first, value).ok_or(Breach::NoInstruction)??
            }
        };
        Ok(self.push(Value::Int(result))?)
    }

    /// Loads or stores a local variable.
    fn local_variable(&mut self, local: u16) -> Result<(), Breach> {
        use Opcode as O;
        let opcode = self.insn.opcode;
        let (is_load, is_int) = match opcode {
            O::Iload | O::Iload0 | O::Iload1 | O::Iload2 | O::Iload3 => (true, true),
            O::Aload | O::Aload0 | O::Aload1 | O::Aload2 | O::Aload3 => (true, false),
            O::Istore | O::Istore0 | O::Istore1 | O::Istore2 | O::Istore3 => (false, true),
            O::Astore | O::Astore0 | O::Astore1 | O::Astore2 | O::Astore3 => (false, false),
            _ => return Err(Breach::NoInstruction),
        };
        let value = if is_load {
            *self.local(local)?
        } else {
            self.pop()?
        };
        let fits = if is_int {
            matches!(value, Value::Int(_))
        } else {
            value.is_reference()
        };
        if !fits {
            return Err(self.confused(value));
        }
        if is_load {
            return self.push(value);
        }
        *self.local(local)? = value;
        Ok(())
    }

    fn load_element(&mut self, kinds: &[ArrayKind]) -> Result<(), Stop> {
        let index = self.pop_int()?;
        let array = self.pop_array(kinds)?;
        let value = *self.element(array, index)?;
        Ok(self.push(Value::Int(value))?)
    }

    fn store_element(&mut self, kinds: &[ArrayKind]) -> Result<(), Stop> {
        let value = self.pop_int()?;
        let index = self.pop_int()?;
        let array = self.pop_array(kinds)?;
        *self.element(array, index)? = match array.kind {
            ArrayKind::Boolean => value & 1,
            ArrayKind::Byte => compute::sign_extended(value, 8),
            ArrayKind::Short => compute::sign_extended(value, 16),
            ArrayKind::Int => value,
        };
        Ok(())
    }

    fn element(&mut self, array: ArrayRef, index: i32) -> Result<&mut i32, Stop> {
        let element = self.machine.arrays.element(array, index);
        element.map_err(|refusal| match refusal {
            Refusal::Trap(kind) => Stop::Trap(kind),
            Refusal::Dangling => dangling(array).into(),
        })
    }

    /// Replaces the top `count` operands by those that `order` selects, numbered from the deepest of the old operands.
    fn rearrange(&mut self, count: usize, order: &[usize]) -> Result<(), Breach> {
        let start = self.frame.stack.len().checked_sub(count);
        let taken = self.frame.stack.split_off(start.ok_or(Breach::Underflow)?);
        order.iter().try_for_each(|place| self.push(taken[*place]))
    }
}
