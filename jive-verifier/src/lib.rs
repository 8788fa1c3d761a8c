//! Verifier for class files: JVMS static constraints, data flow analysis, and the rules of the applet subset.
//!
//! A [`ClassFile`](jive_core::ClassFile) has a valid structure, but its code is unchecked. [`verify`] turns the parsed
//! class into a [`Verified`](jive_core::Verified) class, which is the only input that the linker accepts. If the class
//! is unsafe, [`verify`] returns a [`VerifyError`]. The verifier infers types from the bytecode (JVMS §4.10.2) and
//! ignores any `StackMapTable`. The same rules of verification therefore apply to class files of all versions.
//!
//! Verification has four stages. Each stage relies on the stages before it:
//!
//! 1. The verifier checks the class as a whole: its kind, its limits, the types of its fields and methods, its natives.
//! 2. The verifier checks the members of an applet, if the [`Policy`] requires them.
//! 3. For each method, the verifier checks the static constraints (JVMS §4.9.1): decoding, operands, branch targets,
//!    opcodes of the subset, members. The static constraints also apply to unreachable instructions.
//! 4. For each method, the data flow (JVMS §4.9.2, §4.10.2) infers types and merges them to a fixed point. The data
//!    flow stores a type state only for branch targets.
//!
//! # Choices
//!
//! The verifier makes these choices where the JVMS leaves room, or where JVMs differ:
//!
//! - Unreachable code must satisfy the static constraints, but its types are not checked. Unreachable code may also
//!   continue past the end of the method. OpenJDK's inferring verifier accepts the same unreachable code.
//! - The verifier resolves members of classes, while other JVMs resolve them at first use. An error that OpenJDK would
//!   throw at first use is a rejection here, with its own code (`subset/unresolved-…`, `subset/final-store`).
//! - Only `<clinit>` and `<init>` may set `final` fields, in all class file versions. OpenJDK enforces this rule on
//!   `final` fields only from version 53 on.
//! - Before `Object.<init>`, code may move `this`, test it for null, and set fields of the class. Before
//!   `Object.<init>`, code may not compare `this`, load its fields, pass it or return it.
//! - Two fields may have the same name if their types differ, as in the JVMS. Two methods may not have the same name,
//!   because users name methods without descriptors.
//! - An `abstract` class is accepted if it has no `abstract` methods.
//! - An exception handler is an error at the first instruction that it covers.
//! - The padding of a switch must be zero below class file version 51. From version 51 on, the padding of a switch may
//!   have any value.
//!
//! # Certificates
//!
//! A host verifies a class and keeps what it found at the branch targets ([`certify`]). A device [`check`]s the class
//! against this certificate, in one walk and in the memory of one frame beside the constants. It need not trust the host.
//!
//! # Bounds
//!
//! The caller lends all memory that the verifier uses ([`work_size`], [`WorkArea`]). A budget of steps bounds the
//! running time, so even a hostile class cannot exceed a known amount of memory and time.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used
    )
)]

mod certificate;
mod check;
mod class;
mod descriptor;
mod error;
mod faults;
mod flow;
mod found;
mod marks;
mod method;
mod observer;
mod policy;
mod queue;
mod resolve;
mod signature;
mod state;
mod step;
mod structure;
mod types;
mod verify;
mod work;

pub use certificate::{certified_len, certify};
pub use check::{CheckArea, FRAME_BYTES, check};
pub use error::{CheckError, Location, VerifyError, VerifyErrorKind};
pub use found::{AppletMember, Expected, ResolutionError, TypeUse};
pub use marks::CodeMarks;
pub use observer::Observer;
pub use policy::Policy;
pub use resolve::Resolved;
pub use state::TypeState;
pub use types::VerificationType;
pub use verify::{verify, verify_with};
pub use work::{WorkArea, WorkSize, work_size};
