//! The classes of a scenario, each loaded once.

use bumpalo::Bump;
use jive_core::LinkedClass;
use jive_embed::{LoadError, load_class};
use jive_verifier::Policy;
use nic_core::sle::NicNative;

use super::refused::SimError;
use crate::spec::{EndpointSpec, Scenario};

/// The classes of a scenario, in the order of [`Scenario::classes`], each with its error if it was rejected. The
/// classes with which endpoints start have been accepted.
pub(crate) type Classes<'a> = &'a [Result<LinkedClass<'a>, LoadError>];

/// Loads each class of the scenario once. Loading may reject a class that only a swap names.
pub(crate) fn load_classes<'a>(
    arena: &'a Bump,
    scenario: &'a Scenario,
) -> Result<Classes<'a>, SimError> {
    let mut is_first = vec![false; scenario.classes.len()];
    for class in scenario.endpoints.iter().flat_map(EndpointSpec::applets) {
        is_first[class.0] = true;
    }
    let mut classes = Vec::with_capacity(scenario.classes.len());
    let policies = scenario.policies();
    for ((class, spec), policies) in scenario.classes.iter().enumerate().zip(policies) {
        let load = |policy| load_class(arena, &spec.bytes, policy, NicNative::TABLE);
        let loaded = load_for_all(&policies, load);
        if let (Err(error), true) = (loaded, is_first[class]) {
            return Err(SimError::Class { class, error });
        }
        classes.push(loaded);
    }
    Ok(arena.alloc_slice_copy(&classes))
}

/// Loads a class under the first of the policies that rejects it, or else under the last.
fn load_for_all<'a>(
    policies: &[Policy],
    load: impl Fn(Policy) -> Result<LinkedClass<'a>, LoadError>,
) -> Result<LinkedClass<'a>, LoadError> {
    let (last, others) = policies.split_last().expect("each class has a policy");
    for policy in others {
        load(*policy)?;
    }
    load(*last)
}
