//! The classes that processes run, each loaded for its process.

use bumpalo::Bump;
use jive_embed::load_collected;
use jive_embed::preset::load_preset_collected;
use jive_verifier::Policy;
use nic_core::id::EndpointId;
use nic_core::javia::{ProgramEntry, ViaNative};

use super::refused::SimError;
use crate::host::javia::{ClassProgram, Loaded};
use crate::spec::{HostSpec, Scenario};

/// What the verifier requires of a class that a process runs.
pub(crate) const POLICY: Policy = Policy::Program {
    entries: ProgramEntry::TABLE,
};

/// Loads the classes of a scenario's programs, in the order of [`Scenario::programs`].
pub(crate) fn load_programs<'a>(
    arena: &'a Bump,
    scenario: &'a Scenario,
) -> Result<Vec<ClassProgram<'a>>, SimError> {
    let mut programs = Vec::with_capacity(scenario.programs.len());
    for (number, spec) in (0u32..).zip(&scenario.programs) {
        let class = spec.class;
        let refused = |error| SimError::Class { class, error };
        let bytes = &scenario.classes[class].bytes;
        let natives = ViaNative::TABLE;
        let loaded = load_collected(arena, bytes, POLICY, natives).map_err(refused)?;
        let loaded = match spec.state.is_empty() {
            true => loaded,
            false => {
                load_preset_collected(arena, bytes, &loaded, POLICY, natives).map_err(refused)?
            }
        };
        let endpoints = (0u32..).map(EndpointId).zip(&scenario.endpoints);
        let own = endpoints.filter(|(_, spec)| spec.host == HostSpec::Class(number));
        let own: Vec<_> = own.collect();
        let Some((_, first)) = own.first() else {
            continue;
        };
        let loaded = Loaded {
            class: arena.alloc(loaded),
            spec,
            profile: scenario.profile_of(first.nic),
        };
        programs.extend(ClassProgram::new(arena, loaded, &own));
    }
    Ok(programs)
}
