//! `jive play`: the page is served to itself alone, and compiles Java.

mod compiled;
mod ended;
mod refused;
mod server;
