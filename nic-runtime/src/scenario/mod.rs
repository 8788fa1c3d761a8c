//! Scenarios: reads a TOML file and checks it. The result is the value from which a simulation is built.

pub mod alone;
mod builtin;
mod capture;
mod chain;
mod context;
mod endpoints;
mod expect;
mod field;
mod golden;
pub mod limits;
mod mistake;
pub mod model;
mod names;
mod network;
mod packet_stream;
mod payload;
mod processes;
mod profiles;
mod read;
mod receives;
mod state;
mod swaps;
mod table;
mod traffic;
mod vis;

pub use builtin::{BUILTIN, Builtin, builtin};
pub use capture::CaptureError;
pub use context::BUILTIN_PREFIX;
pub use expect::{Expectation, Expected, Order, Tally, has_expectations};
pub(crate) use field::kind_of;
pub use field::{FieldKind, FieldValue};
pub use golden::{GoldenSettings, Times};
pub use mistake::{Mistake, MistakeKind, Named, Span, closest};
pub use model::Scenario;
pub use packet_stream::PacketStream;
pub use read::{ScenarioError, keys_of_all, parse, parse_on};
