//! Where an applet runs, as far as the cost of its calls depends on the place.

use jive_embed::analysis::ForeignFields;
use nic_core::id::EndpointId;

use super::DetachedShape;
use crate::calls::chain::free_bytes;
use crate::spec::{EndpointSpec, Scenario};

/// The place of an applet: its endpoint, its neighbours in a chain, and who else stores to its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppletSite {
    /// Bytes of the buffer area.
    pub buffer_area: u32,
    /// Bytes of the part of the buffer area that holds the free buffers.
    pub free_bytes: u32,
    /// Maximum length of a free buffer in bytes.
    pub free_buffer_length: u32,
    /// Maximum number of bytes of a packet, and the length of `RxBuf`.
    pub max_packet: u32,
    /// Bytes of the heap.
    pub heap: u32,
    /// Whether another processor of the NIC may slow the applet's processor down.
    pub has_neighbour: bool,
    /// Whether another applet of the chain is between this applet and the user.
    pub has_above: bool,
    /// Whether another applet of the chain is between this applet and the wire.
    pub has_below: bool,
    /// The fields to which not only the class itself stores.
    pub foreign: ForeignFields,
}

impl AppletSite {
    /// Returns the place of an endpoint's only applet, with any number of processors and no other stores to its fields.
    #[must_use]
    pub fn alone(shape: DetachedShape, heap: u32) -> AppletSite {
        AppletSite {
            buffer_area: shape.buffer_area,
            free_bytes: shape.buffer_area,
            free_buffer_length: shape.free_buffer_length,
            max_packet: shape.max_packet,
            heap,
            has_neighbour: true,
            has_above: false,
            has_below: false,
            foreign: ForeignFields::None,
        }
    }

    /// Returns the place of an applet of an endpoint, where `position` counts from the user's side of a chain.
    #[must_use]
    pub fn of(scenario: &Scenario, endpoint: EndpointId, position: usize) -> Option<AppletSite> {
        let spec = scenario.endpoints.get(endpoint)?;
        let count = 1 + spec.followers.len();
        if position >= count {
            return None;
        }
        let nic = scenario.nics.get(spec.nic)?;
        let mut stored = match position {
            0 => spec.state.iter(),
            _ => spec.followers.get(position - 1)?.state.iter(),
        };
        let foreign = if scenario.may_replace_applet(endpoint) {
            ForeignFields::Kept
        } else if stored.len() > 0 {
            ForeignFields::Listed(stored.by_ref().map(|stored| stored.field).collect())
        } else {
            ForeignFields::None
        };
        Some(AppletSite {
            max_packet: scenario.profile_of(spec.nic).memory.max_packet.get(),
            has_neighbour: nic.processors > 1,
            has_above: position > 0,
            has_below: position + 1 < count,
            foreign,
            ..AppletSite::of_spec(spec)
        })
    }

    /// Returns the place of an applet as far as its endpoint alone shows it.
    pub(super) fn of_spec(spec: &EndpointSpec) -> AppletSite {
        AppletSite {
            buffer_area: spec.buffer_area,
            free_bytes: free_bytes(spec),
            free_buffer_length: spec.free_buffer_length,
            max_packet: 0,
            heap: spec.heap,
            has_neighbour: true,
            has_above: false,
            has_below: false,
            foreign: ForeignFields::None,
        }
    }
}
