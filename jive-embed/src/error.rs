//! Why a member was not found, and why a call failed.

use std::convert::Infallible;
use std::fmt;

use jive_core::Trap;

use crate::instance::Value;
use crate::load::LoadError;

/// The class has no such method or field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a member `{member}` of `{class}`, found {}", Found(.found))]
pub struct NoMember {
    /// The class.
    pub class: String,
    /// The member that was looked for, with its descriptor.
    pub member: String,
    /// The member that has the name and another type, if there is one.
    pub found: Option<String>,
}

struct Found<'f>(&'f Option<String>);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(member) => write!(f, "`{member}`"),
            None => f.write_str("none of this name"),
        }
    }
}

/// Why a handle cannot be used as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HandleError {
    /// The handle was made by another class, which may have the same name.
    #[error("expected a handle that `{class}` made, found one of another class")]
    Foreign {
        /// The class of the instance.
        class: String,
    },
    /// The reference names no array of the instance, or one of another kind.
    #[error("expected an array of the instance, of the field's type")]
    Array,
    /// Only a static field can have a value before the static initializer runs.
    #[error("expected a static field, found one of the object")]
    NotStatic,
}

/// Why a call failed. `E` is the error of the program's own natives.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError<E = Infallible> {
    /// A handle cannot be used as asked.
    #[error(transparent)]
    Handle(#[from] HandleError),
    /// The arguments of a call do not match the method's parameters.
    #[error("expected arguments that fit `{method}`, found {found:?}")]
    Arguments {
        /// The method that was called, with its descriptor.
        method: String,
        /// The arguments.
        found: Vec<Value>,
    },
    /// The call trapped. After a trap of [`TrapKind::FuelExhausted`](jive_core::TrapKind::FuelExhausted),
    /// [`Instance::resume`](crate::Instance::resume) runs the call on.
    #[error("{trap}")]
    Trap {
        /// The trap that ended the call, and its location.
        trap: NamedTrap,
    },
    /// A native of the program failed, which ended the call.
    #[error("{error}, which ended {at}")]
    Host {
        /// The error as the native returned it.
        error: E,
        /// The call instruction: method, pc and line.
        at: String,
    },
    /// The class is refused when it is loaded once more for a state, because it has no room for more constants.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A limit of the instance is above the greatest that it may have, or memory for it is not to be had.
    #[error("expected `{limit}` of at most {most} and memory for it, found {found}")]
    Limit {
        /// The field of [`Limits`](crate::Limits).
        limit: &'static str,
        /// The greatest value.
        most: usize,
        /// The value that the caller asked for.
        found: usize,
    },
    /// The call returned a transient array, which was freed at the end of the call.
    #[error("expected a result that outlives the call, found an array that `{method}` made")]
    TransientResult {
        /// The method.
        method: String,
    },
    /// No call can be resumed: the last one did not run out of fuel, or the program has used the instance since.
    #[error("expected a call that has just run out of fuel")]
    NotExhausted,
}

/// A trap with the name of the method, the pc, and the line of the Java source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedTrap {
    /// The trap.
    pub trap: Trap,
    /// Name and descriptor of the method whose instruction trapped.
    pub method: String,
    /// Name of the method's source file, if the class file has it.
    pub source: Option<String>,
    /// Line number of the trap in the source file, if the class file has line numbers.
    pub line: Option<u16>,
}

impl NamedTrap {
    /// Returns the place of the trap: method, pc and line.
    pub(crate) fn place(&self) -> String {
        let place = format!("{} at pc {}", self.method, self.trap.pc);
        match (&self.source, self.line) {
            (Some(source), Some(line)) => format!("{place} ({source}:{line})"),
            (None, Some(line)) => format!("{place} (line {line})"),
            (_, None) => place,
        }
    }
}

impl fmt::Display for NamedTrap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.trap.kind, self.place())
    }
}
