//! Proves class files safe: JVMS static constraints, data flow and the applet subset.
//!
//! A [`ClassFile`](jive_core::ClassFile) is bytes whose shape is right. [`verify`] turns it into a
//! [`Verified`](jive_core::Verified), the only thing that the linker takes, or says in one [`VerifyError`] what is
//! wrong with it. It trusts nothing that the class file says of itself: types are inferred from the bytecode alone
//! (JVMS §4.10.2). So class files of any version, with or without a `StackMapTable`, are judged by the same rules.
//!
//! The stages, each of which relies on those before it:
//!
//! 1. the class as a whole: what kind of class it is, its limits, the types that its fields and
//!    methods declare, its natives;
//! 2. the members of an applet, where the [`Policy`] asks for them;
//! 3. for each method the static constraints (JVMS §4.9.1), also of instructions that no path reaches: decoding,
//!    operands, branch targets, opcodes of the subset, members;
//! 4. for each method the data flow (JVMS §4.9.2, §4.10.2): types inferred and merged to a fixed
//!    point, with a state kept at branch targets only.
//!
//! # Choices
//!
//! Where the JVMS leaves room, or its implementations differ:
//!
//! - Code that no path reaches has static constraints and no types, as in OpenJDK's inferring verifier. It may also run
//!   off the end of the method.
//! - Members are resolved when the class is verified, not at first use. What OpenJDK would throw then is rejected here
//!   with its own code (`subset/unresolved-…`, `subset/final-store`).
//! - A `final` field is set in `<clinit>` or `<init>` only, whatever the version of the class file.
//!   OpenJDK holds to that from version 53 on.
//! - `this` before `Object.<init>` may be moved and tested for null, and its class's own fields may be set. It may not
//!   be compared, loaded from, passed or returned.
//! - Two fields may share a name if their types differ, as in the JVMS. Two methods may not, since the
//!   outside world names methods without descriptors.
//! - An `abstract` class without `abstract` methods is a class like any other.
//! - An exception handler counts as a fault of the first instruction that it covers.
//! - The padding of a switch is zeros below class file version 51 and free from there on.
//!
//! # Bounds
//!
//! The caller lends the memory ([`work_size`], [`WorkArea`]), and a budget of steps bounds the work. So no class file,
//! however hostile, takes more than a stated amount of either.
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

mod class;
mod descriptor;
mod error;
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

pub use error::{Location, VerifyError, VerifyErrorKind};
pub use found::{AppletMember, Expected, Misfit, TypeUse};
pub use marks::CodeMarks;
pub use observer::Observer;
pub use policy::Policy;
pub use resolve::Resolved;
pub use state::TypeState;
pub use types::VerificationType;
pub use verify::{verify, verify_with};
pub use work::{WorkArea, WorkSize, work_size};
