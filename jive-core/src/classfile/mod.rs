//! Class files over borrowed bytes (JVMS §4).
//!
//! Parsing copies nothing and allocates nothing. The caller lends an index of words, which records where each constant,
//! field and method begins. Everything is decoded from the bytes on demand.
//!
//! What is accepted is what HotSpot's format checks accept, with these differences.
//!
//! - Stricter: modified UTF-8 may be overlong for zero only, at any version. The parameters of a descriptor are counted
//!   wherever it stands. Below version 49 too, no class name begins with `/`.
//! - Laxer: attributes that this crate does not read are skipped by their length ([`AttributeName`] lists those that it
//!   reads). Below version 49 any character beyond ASCII may stand in an identifier. A module's constants are judged
//!   although nothing here loads modules.

mod access;
mod attribute;
mod class;
mod code;
mod constant;
mod entry;
mod error;
mod fault;
mod grammar;
mod identity;
mod judge;
mod layout;
mod member;
mod own;
mod parse;
mod pool;
mod sort;
mod subject;
mod tag;
mod text;
mod utf8;
mod version;

pub use access::{ClassAccess, FieldAccess, MethodAccess};
pub use attribute::{Attribute, Attributes};
pub use class::ClassFile;
pub use code::{Code, ExceptionHandler};
pub use entry::OwnMember;
pub use error::{AttributeName, ParseError, ParseErrorKind, PoolError, PoolErrorKind};
pub use member::{Field, Method};
pub use pool::{Constant, ConstantPool, MemberIdentity, MemberKind, MemberRef};
pub use tag::{ConstantTag, TagSet};
pub use utf8::{Escaped, Utf8};
pub use version::ClassVersion;
