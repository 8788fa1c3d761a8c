//! What is made from the table of a scenario's keys: tables of `docs/scenario.md`, and a JSON schema for editors.

mod page;
mod schema;

pub use page::page;
pub use schema::schema;
