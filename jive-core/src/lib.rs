//! The freestanding half of JIVE: class files, linked programs and the interpreter.
#![no_std]
#![forbid(unsafe_code)]

mod classfile;
mod descriptor;
mod disasm;
mod id;
mod insn;
pub mod limits;
mod opcode;

pub use classfile::{
    Attribute, AttributeName, Attributes, ClassAccess, ClassFile, ClassVersion, Code, Constant,
    ConstantPool, ConstantTag, Escaped, ExceptionHandler, Field, FieldAccess, MemberKind,
    MemberRef, Method, MethodAccess, ParseError, ParseErrorKind, PoolError, PoolErrorKind, TagSet,
    Utf8,
};
pub use descriptor::{
    ArrayKind, DescriptorError, DescriptorErrorKind, ElementType, FieldType, MethodDescriptor,
    Parameters, parse_field,
};
pub use disasm::Disassembly;
pub use id::{CpIndex, FieldId, MethodId, NativeId, Pc};
pub use insn::{
    Cases, DecodeError, DecodeErrorKind, Insn, Instructions, LookupSwitch, Operand, TableSwitch,
    decode, instructions,
};
pub use opcode::{Exclusion, Opcode, OperandLayout, StackEffect, StackKind};
