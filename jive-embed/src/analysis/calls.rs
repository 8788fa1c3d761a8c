//! Calls: the method that a call instruction calls, and the effect of a call on the operand stack.

use jive_core::{
    Action, ClassFile, CpIndex, Insn, MemberUse, MethodAccess, MethodDescriptor, MethodId, Operand,
    OwnMember, StackChange, Utf8,
};

/// The callee of an instruction in a verified class.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee<'a> {
    /// A method of this class that has code.
    Own(MethodId),
    /// A native, declared in this class or in `unet/Nic`.
    Native(Utf8<'a>),
    /// `Object.<init>`, which does nothing.
    ObjectInit,
}

/// Returns the callee of an instruction. Returns `None` if the instruction is not a call.
///
/// `callee` never compares two names of the class file: 20,000 instructions can call a method whose name has 60,000
/// bytes. The parser has already resolved the constants that name methods.
pub(crate) fn callee<'a>(class: &ClassFile<'a>, insn: &Insn<'_>) -> Option<Callee<'a>> {
    let (Action::Member(MemberUse::Call | MemberUse::CallStatic), Operand::Constant(index)) =
        (insn.action(), insn.operand)
    else {
        return None;
    };
    let member = class.pool().member(index).ok()?;
    if member.class == "java/lang/Object" {
        return Some(Callee::ObjectInit);
    }
    let Some(OwnMember::Method(id)) = class.own_member(index) else {
        return Some(Callee::Native(member.name));
    };
    let method = class.method(id)?;
    Some(if method.access.contains(MethodAccess::NATIVE) {
        Callee::Native(method.name)
    } else {
        Callee::Own(method.id)
    })
}

/// The effects of a class's calls on the operand stack. Parses each descriptor once.
#[derive(Debug)]
pub(crate) struct Signatures {
    /// Number of values that a call pops (without the receiver) and pushes, by constant pool index of the callee's
    /// descriptor.
    known: Vec<Option<(usize, usize)>>,
}

impl Signatures {
    /// Creates an empty cache for a class.
    pub(crate) fn new(class: &ClassFile<'_>) -> Signatures {
        Signatures {
            known: vec![None; class.pool().count().into()],
        }
    }

    /// Returns how many values an instruction of a verified class pops and pushes.
    pub(crate) fn change(
        &mut self,
        class: &ClassFile<'_>,
        insn: &Insn<'_>,
    ) -> Option<(usize, usize)> {
        match (insn.opcode.stack_change(), insn.operand) {
            (StackChange::Counts { pops, pushes }, _) => Some((pops.into(), pushes.into())),
            (StackChange::OfCall { has_receiver }, Operand::Constant(index)) => {
                self.change_of_call(class, has_receiver.into(), index)
            }
            (StackChange::OfCall { .. } | StackChange::Unsupported, _) => None,
        }
    }

    fn change_of_call(
        &mut self,
        class: &ClassFile<'_>,
        receiver: usize,
        index: CpIndex,
    ) -> Option<(usize, usize)> {
        let member = class.pool().member(index).ok()?;
        let known = self.known.get_mut(member.identity.descriptor.index())?;
        let (pops, pushes) = match *known {
            Some(known) => known,
            None => {
                let descriptor = MethodDescriptor::parse(member.descriptor.as_bytes()).ok()?;
                let pushes = usize::from(descriptor.result().is_some());
                *known.insert((descriptor.parameters().len(), pushes))
            }
        };
        Some((pops + receiver, pushes))
    }
}

/// Returns how many values an instruction of a verified class pushes. Takes constant time, because it does not parse
/// the descriptor.
pub(crate) fn pushes(class: &ClassFile<'_>, insn: &Insn<'_>) -> usize {
    match (insn.opcode.stack_change(), insn.operand) {
        (StackChange::Counts { pushes, .. }, _) => pushes.into(),
        (StackChange::OfCall { .. }, Operand::Constant(index)) => {
            let member = class.pool().member(index);
            let returns = member.is_ok_and(|member| !member.descriptor.as_bytes().ends_with(b")V"));
            usize::from(returns)
        }
        (StackChange::OfCall { .. } | StackChange::Unsupported, _) => 0,
    }
}
