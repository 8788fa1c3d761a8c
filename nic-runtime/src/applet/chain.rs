//! Where the applets of a chain get their messages, and which of them an endpoint's events name.

use crate::ids::{AppletId, at};

use nic_core::id::EndpointId;
use nic_core::sle::Effect;

use crate::engine::Simulation;
use crate::nic::endpoint::AppletAt;

/// Puts the handled message into the `RxBuf` of an applet.
pub(crate) fn receive(sim: &mut Simulation<'_>, endpoint: EndpointId, applet: AppletId) {
    let bytes = sim.chains.handled(endpoint);
    let applet = &mut sim.applets[applet];
    applet.receive(bytes);
    if sim.setup.poisons_rx_buf() {
        applet.poison(bytes.len());
    }
}

/// Makes an endpoint's events show the names of one applet of its chain.
#[cold]
pub(crate) fn report_as(sim: &mut Simulation<'_>, endpoint: EndpointId, applet: AppletId) {
    if let Some(chain) = sim.chains.of(endpoint) {
        let class = chain.classes[at(applet.0 - chain.first().0)];
        sim.report.set_class(endpoint, Some(class));
    }
}

/// Returns whether the effect of an applet's native is on a neighbour in the chain and not on the user or the wire.
pub(crate) fn is_between(
    sim: &Simulation<'_>,
    AppletAt { endpoint, applet }: AppletAt,
    effect: &Effect,
) -> bool {
    let Some(chain) = sim.chains.of(endpoint) else {
        return false;
    };
    match effect {
        Effect::Send { .. } => applet != chain.last(),
        Effect::NicToHost { .. } | Effect::Describe { .. } | Effect::Carry { .. } => {
            applet != chain.first()
        }
        Effect::HostToNic { .. }
        | Effect::Local(_)
        | Effect::Peek { .. }
        | Effect::WriteWindow { .. }
        | Effect::ReadWindow { .. } => false,
    }
}
