//! Scenarios: reads and checks a TOML file. The result of reading is the value from which a simulation is built.

pub mod alone;
mod builtin;
mod capture;
mod chain;
mod context;
mod endpoint_table;
mod endpoints;
mod expect;
mod field;
mod golden;
pub mod limits;
mod mistake;
mod names;
mod network;
mod payload;
mod processes;
mod profiles;
mod profiles_page;
mod read;
mod receives;
mod regions;
mod state;
mod swaps;
mod table;
mod traffic;
mod vis;
mod windows;
mod words;

pub use builtin::{BUILTIN, Builtin, builtin};
pub use capture::{Arrival, CaptureError, CapturePacket, Elapsed, PacketStream};
pub use context::BUILTIN_PREFIX;
pub use expect::has_expectations;
pub use mistake::{Mistake, MistakeKind, Named};
pub use profiles_page::profiles_page;
pub use read::{ScenarioError, keys_of_all, parse, parse_on};
pub use words::closest;
