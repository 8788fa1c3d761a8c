//! Embeds safe packet code: loads class files, calls their methods, and explains rejections.
//!
//! [`load`] verifies a class and returns a [`LoadedClass`], which owns its memory and which threads share.
//! [`LoadedClass::method`] and [`LoadedClass::field`] look up handles, once. [`LoadedClass::instantiate`] creates an
//! [`Instance`], which owns its memory too, and [`Instance::call`] calls a method. The caller supplies the natives: a
//! [`Host`], whose own errors come back from the call. This crate does not depend on a network interface.
//!
//! ```
//! use jive_embed::{Instance, Limits, LoadedClass, Method, NoNatives, load};
//!
//! /// A filter and its class in one struct, which can be sent to another thread.
//! struct Filter {
//!     class: LoadedClass,
//!     accept: Method,
//!     instance: Instance<NoNatives>,
//! }
//!
//! # let bytes = include_bytes!("../examples/Filter.class");
//! let class = load(bytes, &[])?;
//! let accept = class.method("accept", "([BI)Z")?;
//! let instance = class.instantiate(Limits::default(), NoNatives)?;
//! let mut filter = Filter { class, accept, instance };
//! let packet = filter.instance.bytes_from(b"hello")?;
//! let returned = filter.instance.call(filter.accept, &[packet.into(), 5.into()])?;
//! println!("{:?} for {} units of fuel", returned.value, returned.fuel);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The examples filter packets, offer a native, share a class among threads, and replace a class while it runs.
//! [`analysis`] computes bounds on what an accepted class can do. [`load_class`] is an alternative to [`load`] that
//! allocates in an arena of the caller, and [`jive_load`] does without an allocator.
//!
//! # Features
//!
//! - `diagnosis`, on by default: [`explain`] and the lints, and the crates that they need. A program that never shows a
//!   rejection to a person does without.
//! - `json`: rejections, warnings, reports and bounds implement serde's `Serialize`.
//! - `files`: bounded reading of untrusted files. `diagnosis` needs it, to quote Java sources.

#[cfg_attr(
    not(feature = "diagnosis"),
    expect(
        dead_code,
        unused_imports,
        reason = "only diagnoses look up the origins of values"
    )
)]
pub mod analysis;
mod certify;
mod collecting;
#[cfg(feature = "diagnosis")]
pub mod diagnosis;
mod error;
#[cfg(feature = "diagnosis")]
pub mod explanations;
pub mod fields;
mod handle;
mod host;
mod inferred;
#[cfg(feature = "files")]
pub mod input;
mod instance;
mod limits;
#[cfg(feature = "diagnosis")]
pub mod lint;
mod listing;
mod load;
pub mod names;
mod owned;
#[cfg(feature = "files")]
pub mod plain_text;
pub mod preset;
#[cfg(feature = "diagnosis")]
mod rejection;
pub mod replay;
mod roots;
pub mod text;
pub mod variables;
#[cfg(feature = "diagnosis")]
mod verdict;

pub use certify::{CERTIFICATE_BYTES_MAX, CertifyError, certify, check_certified};
pub use collecting::Collecting;
pub use error::{CallError, HandleError, NamedTrap, NoMember};
pub use handle::{Field, FieldKind, Method, Scalar};
pub use host::{Host, HostError};
pub use inferred::{FirstTypes, Inferred, KEPT_MAX, Types};
pub use instance::{ArrayRef, Instance, Returned, State, Value};
/// What the signatures of this crate name, so that a program needs no other crate.
pub use jive_core::{
    ArrayKind, ClassFile, EntryDecl, Heap, LinkError, LinkedClass, MethodId, NativeDecl, NativeId,
    NativeParameter, NativeType, Natives, NoNatives, ParseError, Pc, Trap, TrapKind, Verified,
    natives,
};
pub use jive_verifier::{Observer, Policy, VerifyError};
pub use limits::Limits;
pub use listing::Listing;
pub use load::{LoadError, link_class, load_class, verify_class};
pub use owned::{LoadedClass, load, load_as};
#[cfg(feature = "diagnosis")]
pub use rejection::{
    FoundAt, JavaSource, Rejection, Rejections, SourcePath, TrapDiagnosis, closest, explain,
};
pub use roots::{CollectedClass, load_collected};
#[cfg(feature = "diagnosis")]
pub use verdict::{Accepted, Asked, Rejected, Verdict};
