//! What the command states, as one object.

use jive_core::ClassFile;
use jive_embed::analysis::{Bound, Bounds, ForeignFields};
use jive_embed::names;
use jive_verifier::Policy;
use nic_runtime::applet::AppletSite;
use nic_runtime::profile::Profile;
use serde::Serialize;

/// The endpoint that the bounds assume.
#[derive(Copy, Clone, Serialize)]
pub(super) struct Assumed {
    /// Maximum number of bytes of a packet.
    pub(super) packet_bytes: u32,
    pub(super) buffer_area_bytes: u32,
    pub(super) free_buffer_bytes: u32,
    pub(super) heap_bytes: u32,
    /// Whether only the class itself stores to its fields. The NIC stores to a class's fields too if an endpoint has
    /// `state` or its applet is replaced.
    pub(super) only_own_stores: bool,
    /// Whether the applet is its endpoint's only applet.
    pub(super) is_alone: bool,
    /// Whether fields may keep any value that another class has stored.
    pub(super) any_kept_values: bool,
}

/// The place in a scenario for which the bounds hold.
#[derive(Serialize)]
pub(super) struct Placed {
    pub(super) scenario: String,
    pub(super) endpoint: String,
    /// The number of the applet in the chain, counted from 1 at the user's side.
    pub(super) applet: usize,
    /// Number of applets of the endpoint.
    pub(super) applets: usize,
}

/// The bounds of a class.
#[derive(Serialize)]
pub(super) struct Report<'r> {
    pub(super) file: &'r str,
    pub(super) class: String,
    pub(super) profile: &'r str,
    /// The place in a scenario, with `--scenario`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<&'r Placed>,
    /// The endpoint that the bounds assume; absent if every method may be called with any arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) assumes: Option<Assumed>,
    /// With `--check N`: whether no call executes more than N bytecodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) holds: Option<bool>,
    pub(super) entry_points: &'r [Bound],
}

impl<'r> Report<'r> {
    pub(super) fn of(
        class: &ClassFile<'_>,
        policy: Policy,
        (profile, site): (&'r Profile, &AppletSite),
        place: Option<&'r Placed>,
        bounds: &'r Bounds,
    ) -> Report<'r> {
        Report {
            file: "",
            class: names::class_name(class),
            profile: &profile.name,
            place,
            assumes: match policy {
                Policy::Applet { .. } | Policy::DirectApplet { .. } => Some(Assumed {
                    packet_bytes: site.max_packet,
                    buffer_area_bytes: site.buffer_area,
                    free_buffer_bytes: site.free_buffer_length,
                    heap_bytes: site.heap,
                    // A scenario shows who else stores to the fields.
                    only_own_stores: bounds.relies_on_fields && place.is_none(),
                    is_alone: !site.has_above && !site.has_below,
                    any_kept_values: site.foreign == ForeignFields::Kept,
                }),
                Policy::Program { .. } | Policy::ClassOnly => None,
            },
            holds: None,
            entry_points: &bounds.entry_points,
        }
    }
}
