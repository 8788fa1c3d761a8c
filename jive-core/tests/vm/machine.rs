//! A linked class file, whose methods can be called by name.

use jive_core::{
    CallStack, ClassFile, FieldId, Frame, Heap, Instance, Lifetime, LinkedConstant, LinkedField,
    LinkedMethod, Mark, MethodId, NativeDecl, NativeId, Natives, Op, Pc, Program, ProgramSize,
    ProgramStorage, SwitchCase, Trap, TrapKind, Verified, link, program_size,
};

/// Fuel for tests that do not test fuel.
pub(crate) const PLENTY: u64 = 1_000_000;

/// The greatest depth of nested calls.
pub(crate) const NESTED_CALLS: usize = 200;

/// A loaded class with its own call stack.
pub(crate) struct Machine {
    pub(crate) class: ClassFile<'static>,
    pub(crate) instance: Instance<'static>,
    pub(crate) stack: CallStack<'static>,
}

impl Machine {
    /// Loads a committed class of `tests/classes`, with a heap of this size.
    ///
    /// `javac` compiled the classes of `tests/classes` from the sources next to the class files. So the tests can
    /// declare the classes from `javac` verified without the verifier, which this crate cannot depend on.
    pub(crate) fn load(
        bytes: &'static [u8],
        natives: &'static [NativeDecl],
        heap_bytes: usize,
    ) -> Self {
        let index = lend(ClassFile::index_len(bytes));
        let class = ClassFile::parse(bytes, index).unwrap();
        let verified = Verified::vouch(class, natives, None);
        let size = program_size(&verified).unwrap();
        let storage = ProgramStorage {
            ops: lend(size.ops),
            ends: lend(size.ops),
            places: lend(size.places),
            marks: lend(size.marks),
            methods: lend(size.methods),
            fields: lend(size.fields),
            switches: lend(size.switches),
            constants: lend(size.constants),
        };
        let program: Program<'static> = link(&verified, storage).unwrap();
        // The lent memory is not zeroed, as if the caller had used it before.
        let heap = Heap::new(vec![0xa5; heap_bytes].leak());
        let fields = vec![0x5a5a; program.field_count()].leak();
        let slots = vec![0x5a5a; program.slots_for(NESTED_CALLS)].leak();
        let frames = vec![Frame::default(); NESTED_CALLS].leak();
        Self {
            class,
            instance: Instance::new(program, fields, heap),
            stack: CallStack::new(frames, slots),
        }
    }

    pub(crate) fn method(&self, name: &str) -> MethodId {
        self.class
            .methods()
            .find(|method| method.name == name)
            .unwrap()
            .id
    }

    pub(crate) fn field(&self, name: &str) -> FieldId {
        self.class
            .fields()
            .find(|field| field.name == name)
            .unwrap()
            .id
    }

    pub(crate) fn call(&mut self, name: &str, args: &[i32]) -> Result<Option<i32>, Trap> {
        self.call_with(name, args, PLENTY, Lifetime::Persistent)
    }

    /// Calls a method that returns a value.
    pub(crate) fn value(&mut self, name: &str, args: &[i32]) -> i32 {
        self.call(name, args).unwrap().unwrap()
    }

    pub(crate) fn call_with(
        &mut self,
        name: &str,
        args: &[i32],
        fuel: u64,
        lifetime: Lifetime,
    ) -> Result<Option<i32>, Trap> {
        let method = self.method(name);
        self.instance
            .call(&mut self.stack, method, args, fuel, lifetime, &mut Unwanted)
    }

    /// Returns the trap that a call should end with, at a pc of the named method.
    pub(crate) fn trap(&self, kind: TrapKind, method: &str, pc: u16) -> Trap {
        Trap {
            kind,
            method: self.method(method),
            pc: Pc(pc),
        }
    }
}

/// Implements natives for classes that call no native.
struct Unwanted;

impl Natives for Unwanted {
    fn call(&mut self, id: NativeId, _: &[i32], _: &mut Heap<'_>) -> Result<i32, TrapKind> {
        panic!("native {id} was called")
    }
}

/// Lends storage of a size to a closure.
pub(crate) fn in_storage<R>(
    size: ProgramSize,
    then: impl FnOnce(ProgramStorage<'_, '_>) -> R,
) -> R {
    then(ProgramStorage {
        ops: &mut vec![Op::default(); size.ops],
        ends: &mut vec![0; size.ops],
        places: &mut vec![Pc(0); size.places],
        marks: &mut vec![Mark::default(); size.marks],
        methods: &mut vec![LinkedMethod::default(); size.methods],
        fields: &mut vec![LinkedField::default(); size.fields],
        switches: &mut vec![SwitchCase::default(); size.switches],
        constants: &mut vec![LinkedConstant::default(); size.constants],
    })
}

fn lend<T: Clone + Default>(count: usize) -> &'static mut [T] {
    // The memory is leaked to get a `'static` lifetime. Leaking memory is harmless, because the test process ends soon.
    vec![T::default(); count].leak()
}
