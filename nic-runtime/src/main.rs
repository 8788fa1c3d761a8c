//! The command `jive`.
fn main() {}
