//! Class file parser over borrowed bytes (JVMS §4).
//!
//! The parser copies nothing and allocates nothing. The caller lends an array of words as index. The parser stores
//! the location of each constant, field and method there. Readers decode the bytes on demand.
//!
//! The parser accepts what HotSpot's format checks accept, with these differences.
//!
//! - Stricter: modified UTF-8 may have an overlong form only for zero, in every version. The number of parameters is
//!   limited in every descriptor. Below version 49, too, class names must not start with `/`.
//! - Laxer: the parser skips attributes that this crate does not read ([`AttributeName`] lists the others). Below
//!   version 49, identifiers may contain any non-ASCII character. The parser accepts modules, although nothing in
//!   JIVE loads them.

mod access;
mod attribute;
mod class;
mod classify;
mod code;
mod constant;
mod entry;
mod error;
mod fault;
mod grammar;
mod identity;
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
