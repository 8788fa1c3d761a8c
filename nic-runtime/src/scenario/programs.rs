//! Reads the classes that processes run, and checks that they have what a class needs (Javia).

use std::collections::BTreeSet;

use nic_core::id::{EndpointId, NicId};

use super::context::Context;
use super::endpoint_table::Endpoints;
use super::keys::{CLASS_PREFIX, PROCESS};
use super::mistake::MistakeKind;
use super::profiles::{NicProfiles, check_sections};
use super::table::{self, Mistakes, Table};
use crate::spec::{HostSpec, InterfaceKind, NativeBuffers, ProgramSpec, Span};

/// The sections of a profile that a class on the host needs.
const SECTIONS: &[&str] = &["javia"];

/// The keys of a process that only a class has.
const OF_CLASS: [&str; 5] = [
    PROCESS.state.name,
    PROCESS.heap.name,
    PROCESS.buffers.name,
    PROCESS.fuel.name,
    PROCESS.collector.name,
];

/// Reports the keys for classes of a process that runs none.
pub(super) fn check_keys(table: &Table<'_>, mistakes: &mut Mistakes) {
    for key in OF_CLASS {
        if let Some(value) = table.value(key) {
            let partner = "program = \"class:FILE\"";
            mistakes.add(value.span(), MistakeKind::NeedsPartner { key, partner });
        }
    }
}

/// Reads the class that a process on `nic` runs. Returns `None` if it cannot be read.
pub(super) fn read(
    table: &Table<'_>,
    nic: Option<NicId>,
    of_nic: &NicProfiles,
    context: &mut Context,
) -> Option<ProgramSpec> {
    let mistakes = context.mistakes();
    let (heap, buffers) = (
        PROCESS.heap.get(table, mistakes),
        PROCESS.buffers.get(table, mistakes),
    );
    let fuel = PROCESS.fuel.get(table, mistakes);
    let collector = PROCESS.collector.get(table, mistakes);
    let named = PROCESS.program.raw(table, mistakes)?;
    if let Some(nic) = nic {
        let needs = || "a class that a process runs".to_owned();
        let place = named.span().into();
        check_sections(place, of_nic.of(nic), (needs, SECTIONS), mistakes);
    }
    context.take_heap_bytes(heap + buffers, table.span);
    let name = table::text(named.get_ref()).ok()?;
    let class = context.class(name.strip_prefix(CLASS_PREFIX)?);
    let class = context.mistakes().note(named.span(), class);
    let state = match table.value(PROCESS.state.name) {
        Some(given) => context.state(class, heap, given),
        None => Vec::new(),
    };
    Some(ProgramSpec {
        class: class?,
        state,
        heap: u32::try_from(heap).ok()?,
        buffers: u32::try_from(buffers).ok()?,
        fuel,
        collector,
    })
}

/// Checks the endpoints of processes that run classes. Their free buffers become those of the class's library, which
/// posts them.
pub(super) fn check(
    endpoints: &mut Endpoints<'_>,
    classes: impl Iterator<Item = (u32, Span)>,
    mistakes: &mut Mistakes,
) {
    let mut homes = BTreeSet::new();
    for (spec, place) in endpoints.specs.iter_mut().zip(&endpoints.places) {
        let HostSpec::Class(program) = spec.host else {
            continue;
        };
        homes.insert(program);
        let mut refuse = |what, why| mistakes.add(*place, MistakeKind::OfProgram { what, why });
        if spec.class.is_some() || spec.accepts_capsules {
            refuse("no applet", "it posts the receive descriptors of its VIs");
        }
        match &mut spec.vi {
            None => refuse(
                "`interface = \"via\"`",
                "the natives of `via/Via` are for VIs",
            ),
            Some(vi) if !vi.connects_by_program => refuse(
                "`connect = \"program\"` at the channel",
                "it connects its VIs itself",
            ),
            Some(vi) => {
                vi.native = Some(NativeBuffers {
                    count: std::mem::take(&mut spec.free_buffer_count),
                    length: spec.free_buffer_length,
                });
            }
        }
        debug_assert!(
            spec.vi.is_none() || spec.interface == InterfaceKind::Via,
            "VIs are endpoints of VIA"
        );
    }
    for (program, place) in classes {
        if !homes.contains(&program) {
            let (what, why) = ("an endpoint of this process", "it uses VIs");
            mistakes.add(place, MistakeKind::OfProgram { what, why });
        }
    }
}

/// Reports what a scenario does to endpoints whose process runs a class, and that the class does itself: the endpoints
/// that the tables of a section name.
pub(super) fn check_theirs(
    endpoints: &Endpoints<'_>,
    (what, why): (&'static str, &'static str),
    named: Vec<EndpointId>,
    mistakes: &mut Mistakes,
) {
    for id in BTreeSet::from_iter(named) {
        let spec = &endpoints.specs[id.0 as usize];
        if matches!(spec.host, HostSpec::Class(_)) {
            let place = endpoints.places[id.0 as usize];
            mistakes.add(place, MistakeKind::OfProgram { what, why });
        }
    }
}
