//! The table of a program's entries: the methods that the host calls.

use jive_core::entries;

/// When the host calls an entry of a program.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EntryCall {
    /// Once, when the run starts.
    Start,
    /// After a collection, for each buffer that it has given back.
    Collection,
}

entries! {
    /// The methods of a program that its host calls. All of them are `static`.
    pub enum ProgramEntry, call EntryCall {
        /// The host calls `run` once, at time 0. The program ends when `run` returns.
        Run = run(), required, Start;
        /// The host calls `unreferenced` after a collection, for each buffer that the collection has made unreferenced.
        /// The argument `buffer` is the buffer, and `number` is the number that the program gave to `unRef`. The calls
        /// have the order of the calls of `unRef`. `unreferenced` must not call a native that waits.
        Unreferenced = unreferenced(buffer, number), optional, Collection;
    }
}
