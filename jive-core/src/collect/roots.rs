//! Where references lie while calls wait: the roots of a collection.
//!
//! Arrays hold no references. So an array can be used later if and only if a field names it, the register of a call that
//! has not ended, or somebody outside, such as a native that returns it. Which registers hold references is a question of
//! types, which the linked form does not have: a [`RootMap`] is made from the types that a verifier inferred.

use super::error::CollectError;
use crate::frame::{CallStack, Phase};
use crate::id::{MethodId, Pc};
use crate::op::OpKind;
use crate::program::{LinkedField, Program, ValueKind, index};

/// Places that hold references.
pub trait Roots {
    /// Calls `visit` with each place that may hold a reference: null, the reference to the object of the class, or that
    /// of an array. A place is visited once, and the same places are visited each time until code runs.
    ///
    /// # Errors
    ///
    /// Returns [`CollectError::Unverified`] if it is not known which places hold references.
    fn each(&mut self, visit: &mut dyn FnMut(&mut i32)) -> Result<(), CollectError>;
}

/// Places outside of an instance, all of which hold references.
#[derive(Debug)]
pub struct Held<'r>(pub &'r mut [i32]);

impl Roots for Held<'_> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut i32)) -> Result<(), CollectError> {
        self.0.iter_mut().for_each(visit);
        Ok(())
    }
}

/// The fields of an instance, some of which hold references.
#[derive(Debug)]
pub struct FieldRoots<'r> {
    fields: &'r [LinkedField],
    values: &'r mut [i32],
}

impl<'r> FieldRoots<'r> {
    /// Returns the roots among the values of a program's fields.
    #[must_use]
    pub const fn new(program: &Program<'r>, values: &'r mut [i32]) -> Self {
        Self {
            fields: program.fields(),
            values,
        }
    }
}

impl Roots for FieldRoots<'_> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut i32)) -> Result<(), CollectError> {
        let values = self.values.iter_mut().zip(self.fields);
        values
            .filter(|(_, field)| field.kind == ValueKind::Reference)
            .for_each(|(value, _)| visit(value));
        Ok(())
    }
}

/// The registers of a call stack's calls that hold references.
#[derive(Debug)]
pub struct StackRoots<'r, 's> {
    map: RootMap<'r>,
    stack: &'r mut CallStack<'s>,
}

impl<'s> CallStack<'s> {
    /// Returns the roots of the activation, if it waits for a native. An activation that has ended has none. An
    /// activation that is ready to run is refused with [`CollectError::Unverified`], because it need not be before an
    /// instruction of which the map knows.
    pub const fn roots<'r>(&'r mut self, map: RootMap<'r>) -> StackRoots<'r, 's> {
        StackRoots { map, stack: self }
    }
}

impl Roots for StackRoots<'_, '_> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut i32)) -> Result<(), CollectError> {
        let activation = self.stack.activation;
        match activation.phase {
            Phase::AtNative(_) => {}
            Phase::Ready => return Err(CollectError::Unverified),
            Phase::Ended | Phase::NativeTrapped(_) | Phase::Exhausted(_) => return Ok(()),
        }
        // The outermost call has no caller, so its frame is not used.
        let callers = self.stack.frames.get(1..index(activation.calls.depth));
        // A caller resumes at the op after its call.
        let callers = callers.unwrap_or_default().iter();
        let callers = callers.map(|frame| (frame.op.wrapping_sub(1), frame.base));
        for (op, base) in callers.chain([(activation.op, activation.calls.base)]) {
            let site = self.map.site(op).ok_or(CollectError::Unverified)?;
            let window = self.stack.slots.get_mut(index(base)..).unwrap_or_default();
            for register in site.registers.iter() {
                let value = window.get_mut(usize::from(register));
                visit(value.ok_or(CollectError::Unverified)?);
            }
        }
        Ok(())
    }
}

/// Which registers of a call hold references while the call waits, for each op at which a call can wait.
///
/// Only a program of [`link_collected`](crate::link_collected) has all references in registers and fields then.
#[derive(Copy, Clone, Debug, Default)]
pub struct RootMap<'r>(&'r [RootSite]);

impl<'r> RootMap<'r> {
    /// Makes a map of sites, which are sorted by their ops.
    #[must_use]
    pub const fn new(sites: &'r [RootSite]) -> Self {
        Self(sites)
    }

    fn site(&self, op: u32) -> Option<&'r RootSite> {
        let found = self.0.binary_search_by_key(&op, |site| site.op).ok()?;
        self.0.get(found)
    }
}

/// An op at which a call can wait, and the registers of the call that hold references meanwhile.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RootSite {
    /// The index of the op in the program.
    pub op: u32,
    /// The registers.
    pub registers: Registers,
}

/// A set of registers.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers([u64; 4]);

impl Registers {
    /// Adds a register to the set.
    pub fn insert(&mut self, register: u8) {
        let (word, bit) = (register / 64, register % 64);
        if let Some(word) = self.0.get_mut(usize::from(word)) {
            *word |= 1_u64.wrapping_shl(bit.into());
        }
    }

    /// Returns the set without the registers from `first` on.
    #[must_use]
    pub fn below(&self, first: u8) -> Registers {
        let mut below = Registers::default();
        let kept = self.iter().take_while(|register| *register < first);
        kept.for_each(|register| below.insert(register));
        below
    }

    /// Returns the registers of the set, the lowest first.
    pub fn iter(&self) -> impl Iterator<Item = u8> + use<> {
        let words = [0_u8, 64, 128, 192].into_iter().zip(self.0);
        words.flat_map(|(first, word)| {
            let mut left = word;
            core::iter::from_fn(move || {
                let bit = u8::try_from(left.trailing_zeros()).ok()?;
                left &= left.checked_sub(1)?;
                first.checked_add(bit)
            })
        })
    }
}

/// An op at which a call can wait.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The method of the call.
    pub method: MethodId,
    /// The index of the op in the program.
    pub op: u32,
    /// The instruction that the op performs: a call, or `newarray` of a program that is linked for a collector.
    pub pc: Pc,
    /// The first register that belongs to the callee, if the call waits for a method and not for a native.
    pub callee: Option<u8>,
}

impl<'p> Program<'p> {
    /// Returns the ops at which a call of one of the program's methods can wait, in their order.
    pub fn waiting(self) -> impl Iterator<Item = Waiting> + use<'p> {
        let methods = (0..).map(MethodId).zip(self.methods);
        methods.flat_map(move |(method, linked)| {
            let ops = self.ops.get(linked.ops()).unwrap_or_default();
            let ops = (linked.entry..).zip(ops);
            ops.filter_map(move |(op, performed)| {
                let callee = match performed.kind.plain() {
                    OpKind::Call => Some(performed.a),
                    OpKind::Native => None,
                    _ => return None,
                };
                let pc = self.origin(method, op)?.pc;
                Some(Waiting {
                    method,
                    op,
                    pc,
                    callee,
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_every_register_that_was_added() {
        let mut set = Registers::default();
        for register in [255, 0, 63, 64, 191, 63] {
            set.insert(register);
        }
        assert!(set.iter().eq([0, 63, 64, 191, 255]));
        assert!(set.below(64).iter().eq([0, 63]));
        assert_eq!(set.below(0), Registers::default());
    }
}
