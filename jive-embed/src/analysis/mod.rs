//! Static analysis of verified classes: resource bounds and origins of values. The analyses are not needed for running
//! a class, only for reports about it.
//!
//! All analyses take time linear in the size of the class file. An exact analysis of loops that are nested thousands
//! deep would take longer, so a step budget ends the search for them. The report says that the step budget ended the
//! search.

mod bound;
mod calls;
mod components;
mod condition;
mod depths;
mod elements;
mod environment;
mod explore;
mod facts;
mod graph;
mod interval;
mod line_table;
mod loops;
mod members;
mod native_calls;
mod origin;
mod paths;
mod ranges;
mod report;
mod rounds;
mod shown;
mod worst;

pub(crate) use bound::bounded_loops;
pub use bound::{Bound, BoundedLoop, Bounds, Reason, UnboundedLoop};
pub(crate) use calls::{Callee, Signatures, callee};
pub(crate) use components::Components;
pub(crate) use depths::Depths;
pub use environment::{Entry, Environment, ForeignFields, Native};
pub(crate) use explore::{array_bytes, makes_array};
pub(crate) use facts::{Facts, Flow};
pub(crate) use graph::ControlFlow;
pub use line_table::LineTable;
pub(crate) use loops::loops;
pub use native_calls::{NativeCall, native_calls};
pub(crate) use origin::{Origin, Origins, Slot};
pub use report::{EntryPoint, LISTED_MAX, LoopPlace, Report};

#[cfg(test)]
mod tests {
    use jive_core::ClassFile;

    use super::*;

    #[test]
    fn last_test_of_a_counter_is_counted() {
        let bytes = include_bytes!("../../../nic-runtime/tests/classes/Rounds.class");
        let mut index = vec![0; ClassFile::index_len(bytes)];
        let class = ClassFile::parse(bytes, &mut index).expect("`javac` wrote it");
        let anywhere = Environment {
            entries: None,
            natives: Vec::new(),
            array_length_max: u32::MAX,
            packet: None,
            bytecode_ps: 0,
            foreign: ForeignFields::None,
            heap_bytes: None,
            keeps_arrays: true,
        };
        let bounds = Bounds::of(class, &anywhere).entry_points;
        let up = bounds.iter().find(|bound| bound.method == "up");
        let loops = &up.expect("it is a method").loops;
        // The counter steps from 0 to 10, so it is tested in ten rounds and once more at the end of the loop.
        let tests = loops.iter().map(|found| found.tests).collect::<Vec<_>>();
        assert_eq!(tests, [11]);
    }
}
