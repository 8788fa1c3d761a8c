//! A class in its two forms: parsed and linked.

use crate::classfile::ClassFile;
use crate::id::{MethodId, Pc};
use crate::program::Program;

/// A linked class together with its class file. All instances of the class share its `LinkedClass`.
#[derive(Copy, Clone, Debug)]
pub struct LinkedClass<'a> {
    /// The class as parsed, for names and line numbers.
    pub class: ClassFile<'a>,
    /// The class as linked.
    pub program: Program<'a>,
}

impl LinkedClass<'_> {
    /// Returns the method with a given name. A class of the subset has no two methods of the same name.
    #[must_use]
    pub fn method(&self, name: &str) -> Option<MethodId> {
        let mut methods = self.class.methods();
        methods.find(|method| method.name == name).map(|it| it.id)
    }

    /// Returns the source line of an instruction, if the class has line numbers.
    #[must_use]
    pub fn line(&self, method: MethodId, pc: Pc) -> Option<u16> {
        self.class.method(method)?.code()?.line(pc)
    }
}
