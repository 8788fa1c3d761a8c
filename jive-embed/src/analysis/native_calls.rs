//! The calls of natives in a class.

use jive_core::{ClassFile, MethodId, Pc, Utf8, instructions};

use super::calls::{Callee, callee};

/// A call of a native in the code of a class.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NativeCall<'a> {
    /// Name of the native.
    pub name: Utf8<'a>,
    /// The calling method.
    pub method: MethodId,
    /// The pc of the call.
    pub pc: Pc,
}

/// Returns the calls of natives in the code of a verified class, in the order of the class file, code included that is
/// never reached.
pub fn native_calls<'c, 'a>(class: &'c ClassFile<'a>) -> impl Iterator<Item = NativeCall<'a>> + 'c {
    class.methods().flat_map(move |method| {
        let code = method.code();
        let insns = code.into_iter().flat_map(|code| instructions(code.bytes));
        insns.filter_map(move |insn| match callee(class, &insn.ok()?)? {
            Callee::Native(name) => Some(NativeCall {
                name,
                method: method.id,
                pc: insn.ok()?.pc,
            }),
            Callee::Own(_) | Callee::ObjectInit => None,
        })
    })
}
