//! A class as parsed and as linked, side by side.

use crate::classfile::ClassFile;
use crate::id::{MethodId, Pc};
use crate::program::Program;

/// A class that the verifier accepted, linked. Every instance of it shares this value.
#[derive(Copy, Clone, Debug)]
pub struct LinkedClass<'a> {
    /// The class as parsed, for names and line numbers.
    pub class: ClassFile<'a>,
    /// The class as linked.
    pub program: Program<'a>,
}

impl LinkedClass<'_> {
    /// Finds the method of a name. The subset has no two methods of one name.
    #[must_use]
    pub fn method(&self, name: &str) -> Option<MethodId> {
        let mut methods = self.class.methods();
        methods.find(|method| method.name == name).map(|it| it.id)
    }

    /// Returns the source line of an instruction, where the class has line numbers.
    #[must_use]
    pub fn line(&self, method: MethodId, pc: Pc) -> Option<u16> {
        self.class.method(method)?.code()?.line(pc)
    }
}
