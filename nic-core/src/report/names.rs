//! Names for the ids in events.

use jive_core::{FieldId, MethodId};

use crate::id::{EndpointId, NicId};

/// Maps ids of a run to names.
pub trait Names {
    /// Returns the name in the scenario of a NIC or, for a number behind those of the NICs, of a switch.
    fn nic(&self, nic: NicId) -> &str;
    /// Returns whether the number is that of a switch.
    fn is_switch(&self, _nic: NicId) -> bool {
        false
    }
    /// Returns the endpoint's name in the scenario.
    fn endpoint(&self, endpoint: EndpointId) -> &str;
    /// Returns the NIC of the endpoint.
    fn home(&self, endpoint: EndpointId) -> NicId;
    /// Returns the name of the class that the endpoint loaded, or `None` if it has no applet.
    fn class(&self, endpoint: EndpointId) -> Option<&str>;
    /// Returns the name of the class of the endpoint's current applet if the endpoint has several applets, and `None`
    /// otherwise. If the endpoint has several applets, the other functions of `Names` return names of the applet that
    /// the endpoint runs.
    fn in_chain(&self, _endpoint: EndpointId) -> Option<&str> {
        None
    }
    /// Returns the method's name in the class that the endpoint loaded.
    fn method(&self, endpoint: EndpointId, method: MethodId) -> &str;
    /// Returns the field's name in the class that the endpoint loaded. A program whose events name no field need not
    /// keep the names of fields.
    fn field(&self, _endpoint: EndpointId, _field: FieldId) -> &str {
        "?"
    }
}
