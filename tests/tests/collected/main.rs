//! Classes that are linked for a collector do what they do as applets, with a collection at every allocation.

#[path = "../../../nic-runtime/tests/shared/runs.rs"]
mod runs;

mod below;
mod calls;
mod pair;
mod smith;
mod vouched;
