//! Class file parser over borrowed bytes (JVMS §4).
//!
//! The parser copies nothing and allocates nothing. The caller lends an array of words as an index. The parser stores
//! the location of each constant, field and method in the index. Readers decode the bytes of constants, fields and
//! methods on demand.
//!
//! The parser accepts what HotSpot's format checks accept, with the differences below.
//!
//! - The parser is stricter: modified UTF-8 may have an overlong form only for zero, in every version. The parser
//!   limits the number of parameters in every descriptor. Below version 49, too, the parser rejects class names that
//!   start with `/`.
//! - The parser is laxer: it skips attributes that this crate does not read ([`AttributeName`] lists those that it
//!   reads). Below version 49, the parser permits any non-ASCII character in identifiers. The parser accepts modules,
//!   although nothing in JIVE loads them.

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
