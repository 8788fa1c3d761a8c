//! A class file builder, and helpers that verify its output.

use jive_core::{ClassFile, Pc};
use jive_verifier::{
    CodeMarks, Location, Observer, Policy, Resolved, TypeState, VerifyError, VerifyErrorKind,
    WorkArea, WorkSize, verify_with, work_size,
};

/// The name of every class that the builder creates.
pub(crate) const NAME: &str = "Fixture";
pub(crate) const STATIC: u16 = 0x0008;
pub(crate) const FINAL: u16 = 0x0010;
pub(crate) const SYNCHRONIZED: u16 = 0x0020;
pub(crate) const NATIVE: u16 = 0x0100;
pub(crate) const ABSTRACT: u16 = 0x0400;

/// The cost class of each native of the tests.
#[expect(dead_code, reason = "the tests ask for no cost")]
pub(crate) enum Cost {
    Free,
}

jive_core::natives! {
    /// A natives table for the tests.
    pub(crate) enum TestNative: "unet/Nic", cost Cost {
        /// Makes an array.
        Make = make(length: Int) -> ByteArray, Free;
        /// Receives an argument of each type that natives can have.
        Take = take(bytes: ByteArray, shorts: ShortArray, ints: IntArray, number: Int) -> Void, Free;
    }
}

/// A builder of class files (JVMS §4.1). The default is `public class Fixture`, version 49.0.
pub(crate) struct ClassBytes {
    pub(crate) major: u16,
    pub(crate) access: u16,
    pub(crate) interfaces: Vec<u16>,
    pub(crate) name: u16,
    pub(crate) super_name: u16,
    pool: Vec<Vec<u8>>,
    fields: Vec<Vec<u8>>,
    methods: Vec<Vec<u8>>,
}

impl ClassBytes {
    pub(crate) fn new() -> ClassBytes {
        let mut class = ClassBytes {
            major: 49,
            access: 0x0021,
            interfaces: Vec::new(),
            name: 0,
            super_name: 0,
            pool: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
        };
        class.name = class.class(NAME);
        class.super_name = class.class("java/lang/Object");
        class
    }

    /// Returns the constant pool index of a constant, and adds the constant if it is new.
    pub(crate) fn constant(&mut self, bytes: Vec<u8>) -> u16 {
        let known = self.pool.iter().position(|other| *other == bytes);
        let position = known.unwrap_or_else(|| {
            self.pool.push(bytes);
            self.pool.len() - 1
        });
        u16::try_from(position + 1).expect("few constants are written")
    }

    pub(crate) fn utf8(&mut self, text: &str) -> u16 {
        let length = u16::try_from(text.len()).expect("texts are short");
        let mut bytes = vec![1];
        bytes.extend(length.to_be_bytes());
        bytes.extend(text.as_bytes());
        self.constant(bytes)
    }

    pub(crate) fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.tagged(7, &[name])
    }

    /// Adds a constant that consists of a tag and 16-bit operands. Returns its index.
    pub(crate) fn tagged(&mut self, tag: u8, operands: &[u16]) -> u16 {
        let mut bytes = vec![tag];
        bytes.extend(operands.iter().flat_map(|operand| operand.to_be_bytes()));
        self.constant(bytes)
    }

    /// Adds a `Fieldref` (tag 9), `Methodref` (10) or `InterfaceMethodref` (11). Returns its index.
    pub(crate) fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> u16 {
        let class = self.class(class);
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let name_and_type = self.tagged(12, &[name, descriptor]);
        self.tagged(tag, &[class, name_and_type])
    }

    pub(crate) fn field(&mut self, access: u16, name: &str, descriptor: &str) -> &mut ClassBytes {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        self.fields.push(words(&[access, name, descriptor, 0]));
        self
    }

    /// Adds a method without code.
    pub(crate) fn bare_method(
        &mut self,
        access: u16,
        name: &str,
        descriptor: &str,
    ) -> &mut ClassBytes {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        self.methods.push(words(&[access, name, descriptor, 0]));
        self
    }

    /// Adds a method with room for four operands and four local variables.
    pub(crate) fn method(
        &mut self,
        access: u16,
        name: &str,
        descriptor: &str,
        code: &[u8],
    ) -> &mut ClassBytes {
        self.method_of_size(access, name, descriptor, (4, 4), code)
    }

    /// Adds a method. The argument `size` is `max_stack` and `max_locals` of the method.
    pub(crate) fn method_of_size(
        &mut self,
        access: u16,
        name: &str,
        descriptor: &str,
        size: (u16, u16),
        code: &[u8],
    ) -> &mut ClassBytes {
        self.method_with_handlers(access, name, descriptor, size, code, &[])
    }

    /// Adds a method with an exception table. Each row of the exception table consists of start, end, handler and type.
    pub(crate) fn method_with_handlers(
        &mut self,
        access: u16,
        name: &str,
        descriptor: &str,
        size: (u16, u16),
        code: &[u8],
        handlers: &[[u16; 4]],
    ) -> &mut ClassBytes {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let attribute = self.utf8("Code");
        let mut contents = words(&[size.0, size.1]);
        contents.extend(length_of(code).to_be_bytes());
        contents.extend(code);
        contents.extend(words(&[
            u16::try_from(handlers.len()).expect("few handlers")
        ]));
        contents.extend(handlers.iter().flat_map(|row| words(row)));
        contents.extend(words(&[0]));
        let mut method = words(&[access, name, descriptor, 1, attribute]);
        method.extend(length_of(&contents).to_be_bytes());
        method.extend(contents);
        self.methods.push(method);
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let count = |list: &[Vec<u8>]| u16::try_from(list.len()).expect("few members are written");
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe];
        bytes.extend(words(&[0, self.major, count(&self.pool) + 1]));
        bytes.extend(self.pool.concat());
        let interfaces = u16::try_from(self.interfaces.len()).expect("few interfaces");
        bytes.extend(words(&[
            self.access,
            self.name,
            self.super_name,
            interfaces,
        ]));
        bytes.extend(words(&self.interfaces));
        bytes.extend(words(&[count(&self.fields)]));
        bytes.extend(self.fields.concat());
        bytes.extend(words(&[count(&self.methods)]));
        bytes.extend(self.methods.concat());
        bytes.extend(words(&[0]));
        bytes
    }

    /// Verifies the class without the applet policy.
    pub(crate) fn verdict(&self) -> Result<(), VerifyError> {
        judge(&self.bytes(), Policy::ClassOnly, &mut ())
    }
}

fn words(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn length_of(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("no more than a method holds")
}

/// Memory for a work area, of exactly the required size.
pub(crate) struct Memory {
    constants: Vec<Resolved>,
    signatures: Vec<u8>,
    marks: Vec<CodeMarks>,
    leaders: Vec<u16>,
    queue: Vec<u32>,
    states: Vec<u8>,
}

impl Memory {
    pub(crate) fn of(size: WorkSize) -> Memory {
        Memory {
            constants: vec![Resolved::default(); size.constants],
            signatures: vec![0xa5; size.signatures],
            marks: vec![CodeMarks::default(); size.marks],
            leaders: vec![0xa5; size.leaders],
            queue: vec![0xa5; size.queue],
            states: vec![0xa5; size.states],
        }
    }

    pub(crate) fn lend(&mut self) -> WorkArea<'_> {
        WorkArea {
            constants: &mut self.constants,
            signatures: &mut self.signatures,
            marks: &mut self.marks,
            leaders: &mut self.leaders,
            queue: &mut self.queue,
            states: &mut self.states,
        }
    }
}

/// Parses and verifies a class file under a policy, and returns the verdict.
pub(crate) fn judge(
    bytes: &[u8],
    policy: Policy,
    observer: &mut impl Observer,
) -> Result<(), VerifyError> {
    with_class(bytes, |class| {
        let mut memory = Memory::of(work_size(&class));
        verify_with(class, policy, TestNative::TABLE, memory.lend(), observer).map(|_| ())
    })
}

/// Parses a class file that the parser must accept.
pub(crate) fn with_class<R>(bytes: &[u8], act: impl FnOnce(ClassFile<'_>) -> R) -> R {
    let words = ClassFile::index_len(bytes);
    let mut index = vec![0; words];
    act(ClassFile::parse(bytes, &mut index).expect("the class file is well-formed"))
}

/// Verifies a class with a static method `run`, which has room for four operands and four local variables.
pub(crate) fn verdict_of(descriptor: &str, code: &[u8]) -> Result<(), VerifyError> {
    ClassBytes::new()
        .method(STATIC, "run", descriptor, code)
        .verdict()
}

/// Returns a verdict that rejects an instruction of the class's first method.
pub(crate) fn at(pc: u16, kind: VerifyErrorKind) -> Result<(), VerifyError> {
    in_method(0, pc, kind)
}

/// Returns a verdict that rejects an instruction of a method.
pub(crate) fn in_method(method: u16, pc: u16, kind: VerifyErrorKind) -> Result<(), VerifyError> {
    Err(VerifyError {
        at: Location::Code {
            method: jive_core::MethodId(method),
            pc: Pc(pc),
        },
        kind,
    })
}

/// An observer that stores as text all type states that it receives.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) reached: Vec<(u16, String)>,
    pub(crate) failed: Vec<(u16, String)>,
    /// For each method, its number, the steps taken and the step limit.
    pub(crate) steps: Vec<(u16, u32, u32)>,
}

impl Observer for Notes {
    fn reached(&mut self, _: jive_core::MethodId, pc: Pc, state: TypeState<'_>) {
        self.reached.push((pc.0, format!("{state:?}")));
    }

    fn failed(&mut self, _: jive_core::MethodId, pc: Pc, state: TypeState<'_>) {
        self.failed.push((pc.0, format!("{state:?}")));
    }

    fn took(&mut self, method: jive_core::MethodId, steps: u32, limit: u32) {
        self.steps.push((method.0, steps, limit));
    }
}
