//! Where the applets of a chain get their messages, and which of them an endpoint's events name.

use crate::ids::{AppletId, at};

use nic_core::id::EndpointId;
use nic_core::sle::Effect;

use crate::calls::chain::Chain;
use crate::nic::endpoint::AppletAt;
use crate::run::Simulation;

/// Puts the handled message into the `RxBuf` of an applet.
pub(crate) fn receive(sim: &mut Simulation<'_>, endpoint: EndpointId, applet: AppletId) {
    let bytes = sim.chains.handled(endpoint);
    let applet = &mut sim.applets[applet];
    applet.receive(bytes);
    if sim.poisons_rx_buf {
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
        Effect::HostToNic { .. } | Effect::Local(_) | Effect::WriteWindow { .. } => false,
    }
}

impl Simulation<'_> {
    /// Returns the applets of an endpoint, in the order of their `doTx`.
    pub(crate) fn applets_of(
        &self,
        endpoint: EndpointId,
    ) -> impl Iterator<Item = AppletId> + use<> {
        let count = self.chains.of(endpoint).map_or(1, Chain::count);
        let first = self.infos[endpoint].applet;
        let numbers = first.map_or(0..0, |first| first.0..first.0 + count);
        numbers.map(AppletId)
    }

    /// Returns the number under which an endpoint's calls exclude each other: that of its first applet.
    pub(crate) fn place_of(&self, applet_at: AppletAt) -> AppletId {
        let first = self.infos[applet_at.endpoint].applet;
        first.unwrap_or(applet_at.applet)
    }
}
