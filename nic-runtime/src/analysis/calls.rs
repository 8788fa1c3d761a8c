//! Whom a class's methods call.

use jive_core::{ClassFile, Insn, MethodAccess, MethodId, Opcode, Operand, Utf8};

/// Whom an instruction of a verified class calls.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee<'a> {
    /// A method of the class that has code.
    Own(MethodId),
    /// A native, declared by the class or by `unet/Nic`.
    Native(Utf8<'a>),
    /// `Object.<init>`, which does nothing.
    ObjectInit,
}

/// Returns whom an instruction calls, if it is a call.
pub(crate) fn callee<'a>(class: &ClassFile<'a>, insn: &Insn<'_>) -> Option<Callee<'a>> {
    let (
        Opcode::Invokestatic | Opcode::Invokevirtual | Opcode::Invokespecial,
        Operand::Constant(index),
    ) = (insn.opcode, insn.operand)
    else {
        return None;
    };
    let member = class.pool().member(index).ok()?;
    if member.class == "java/lang/Object" {
        return Some(Callee::ObjectInit);
    }
    if member.class != class.name() {
        return Some(Callee::Native(member.name));
    }
    // A verified class has one method of each name.
    let method = class.methods().find(|method| method.name == member.name)?;
    Some(if method.access.contains(MethodAccess::NATIVE) {
        Callee::Native(method.name)
    } else {
        Callee::Own(method.id)
    })
}
