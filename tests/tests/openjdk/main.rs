//! JIVE beside OpenJDK: verdicts, results and compilers.

mod applets_fresh;
mod calls;
mod compilers;
mod flags;
mod judge;
mod random;
mod verdicts;
