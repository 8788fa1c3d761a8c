//! The collectors of applets whose arrays are collected.

use std::collections::BTreeMap;

use bumpalo::Bump;
use jive_core::{Collector, CollectorEntry, Instance, Motion, RootMap};
use jive_embed::CollectedClass;
use nic_core::time::SimTime;

use crate::ids::AppletId;

/// The collectors of the applets that have one.
pub(crate) type Collectors<'a> = BTreeMap<AppletId, AppletCollector<'a>>;

/// The collector of an applet.
#[derive(Debug)]
pub(crate) struct AppletCollector<'a> {
    pub(crate) roots: RootMap<'a>,
    pub(crate) collector: Collector<'a>,
    /// The reference of the first array that may move. `RxBuf` is below.
    pub(crate) lowest: u32,
    /// When the native tries once more for which the applet has collected last.
    pub(crate) tried: Option<SimTime>,
}

impl<'a> AppletCollector<'a> {
    /// Prepares to collect the arrays of an applet that has none yet but `RxBuf`, on call stacks of `slots` slots.
    pub(crate) fn new(
        arena: &'a Bump,
        class: &'a CollectedClass<'a>,
        instance: &Instance<'_>,
        slots: usize,
    ) -> AppletCollector<'a> {
        let places = class.class.program.field_count().saturating_add(slots);
        let entries = arena.alloc_slice_fill_copy(places, CollectorEntry::default());
        AppletCollector {
            roots: class.roots(),
            collector: Collector::new(Motion::Moving, entries),
            lowest: instance.heap().next_reference().cast_unsigned(),
            tried: None,
        }
    }
}
