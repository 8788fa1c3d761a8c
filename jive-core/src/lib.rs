//! Class file parser, linker and interpreter of JIVE, for targets without `std` and allocator.
#![no_std]
#![forbid(unsafe_code)]
// No input may cause a panic. The lints below reject operations that can panic. Each exception to a lint against panics
// states why its operation cannot panic.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod array_kind;
mod classfile;
mod collect;
pub mod compiled;
mod cut;
mod descriptor;
mod disasm;
mod entry;
mod frame;
mod heap;
mod id;
mod insn;
mod instance;
mod interp;
pub mod limits;
mod link;
mod linked_class;
mod lower;
mod native;
mod op;
mod opcode;
mod plain;
mod program;
mod registers;
mod trap;
mod variant;
mod verified;

// What users get, from the bottom layer to the top. `ARCHITECTURE.md` lists the layers.

// Numbers and names.
pub use array_kind::ArrayKind;
pub use cut::Cut;
pub use descriptor::{
    DescriptorError, DescriptorErrorKind, ElementType, FieldType, MethodDescriptor, Parameters,
    parse_field,
};
pub use id::{CpIndex, FieldId, MethodId, NativeId, Pc};
pub use plain::is_plain;
pub use trap::{CallSite, Trap, TrapKind, TrapValues};

// The table of opcodes, and instructions.
pub use insn::{
    Cases, DecodeError, DecodeErrorKind, Insn, Instructions, LookupSwitch, Operand, RawInsn,
    RawInstructions, TableSwitch, Targets, decode, instructions, raw_instructions,
};
pub use opcode::{
    Action, BinaryOperator, Comparison, Computational, ConstantSource, ElementKind, Exclusion,
    MemberAccess, MemberUse, Opcode, OperandLayout, Shuffle, StackChange, UnaryOperator,
};

// The parser.
pub use classfile::{
    Attribute, AttributeName, Attributes, ClassAccess, ClassFile, ClassVersion, Code, Constant,
    ConstantPool, ConstantTag, Escaped, ExceptionHandler, Field, FieldAccess, MemberIdentity,
    MemberKind, MemberRef, Method, MethodAccess, OwnMember, ParseError, ParseErrorKind, PoolError,
    PoolErrorKind, TagSet, Utf8,
};

// Natives and entries, the proof that a class is safe, and listings.
pub use disasm::{Described, Disassembly};
pub use entry::EntryDecl;
pub use native::{
    NativeDecl, NativeDescriptor, NativeParameter, NativeType, find_native, find_native_of,
    is_native_class,
};
pub use verified::{AppletMembers, Verified};

// The memory of running code.
pub use heap::{ArrayView, Heap, HeapState, Lifetime};

// The linked form, and how a class gets it.
pub use link::{
    LinkError, LinkErrorKind, LinkSite, Storage, link, link_collected, link_portable, program_size,
};
pub use lower::{CodeCounts, count_code};
pub use op::Op;
pub use program::{
    LinkedConstant, LinkedField, LinkedMethod, Mark, Origin, Program, ProgramSize, ProgramStorage,
    SwitchCase, ValueKind,
};

// Execution.
pub use collect::{
    CollectError, Collected, Collector, CollectorEntry, FieldRoots, FromBuffer, FromSpace, Held,
    Motion, Registers, RootMap, RootSite, Roots, StackRoots, Waiting,
};
pub use frame::{CallStack, Frame};
pub use instance::{BareStep, Instance, Natives, NoNatives, Step};
pub use interp::{Values, Watcher};
pub use linked_class::LinkedClass;
