//! The classes of a scenario, each loaded once.

use bumpalo::Bump;
use jive_core::LinkedClass;
use jive_embed::{LoadError, load_class};
use jive_verifier::Policy;
use nic_core::javia::ViaNative;
use nic_core::sle::NicNative;

use super::programs;
use super::refused::SimError;
use crate::profile::Receive;
use crate::spec::{EndpointSpec, Scenario};

/// The classes of a scenario, in the order of [`Scenario::classes`], each with its error if it was rejected. The
/// classes with which endpoints start have been accepted.
pub(crate) type Classes<'a> = &'a [Result<LinkedClass<'a>, LoadError>];

/// Loads each class of the scenario once: as an applet, or as a program if only processes run it. Loading may reject a
/// class that only a swap names.
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
        let is_program = scenario.programs.iter().any(|spec| spec.class == class);
        let loaded = match is_program && !is_first[class] {
            true => load_class(arena, &spec.bytes, programs::POLICY, ViaNative::TABLE),
            false => load_for_any(&policies, load),
        };
        if let (Err(error), true) = (loaded, is_first[class]) {
            return Err(SimError::Class { class, error });
        }
        classes.push(loaded);
    }
    Ok(arena.alloc_slice_copy(&classes))
}

/// Loads a class under the first of the policies that accepts it. No class is accepted under two.
fn load_for_any<'a>(
    policies: &[Policy],
    load: impl Fn(Policy) -> Result<LinkedClass<'a>, LoadError>,
) -> Result<LinkedClass<'a>, LoadError> {
    let (first, others) = policies.split_first().expect("each class has a policy");
    let mut others = others.iter();
    load(*first).or_else(|error| others.find_map(|policy| load(*policy).ok()).ok_or(error))
}

/// Returns whether a class that has been accepted is an applet for NICs that receive in this way.
pub(crate) fn fits(class: &LinkedClass<'_>, receive: Receive) -> bool {
    let has_rx_buf = class
        .program
        .applet()
        .is_some_and(|members| members.rx_buf.is_some());
    has_rx_buf == (receive == Receive::Staged)
}
