//! Makes the scenario of a single applet for commands that read no scenario file. The scenario has the applet's NIC,
//! and a peer in place of the network.

use std::num::NonZeroU64;
use std::sync::Arc;

use nic_core::id::{ChannelId, EndpointId, NicId};
use nic_core::time::{SimDuration, SimTime};

use super::{limits, parse, state};
use crate::profile::{
    BaseCosts, DmaProfile, Flow, HostProfile, Place, Profile, WireProfile, WithWire,
};
use crate::spec::{ClassSpec, Scenario};

/// The endpoint of the applet.
pub const APPLET: EndpointId = EndpointId(0);

/// The endpoint at the other end of the applet's only channel.
pub const PEER: EndpointId = EndpointId(1);

/// The name of [`APPLET`], and of its process.
pub const APPLET_NAME: &str = "applet";

/// The name of [`PEER`], and of its process.
pub const PEER_NAME: &str = "peer";

/// The text of a scenario with two endpoints, [`APPLET`] and [`PEER`], which have the default values.
const TEXT: &str = r#"
[[nic]]
name = "nic"
[[nic]]
name = "network"

[[endpoint]]
nic = "nic"
name = "applet"
[[endpoint]]
nic = "network"
name = "peer"

[[channel]]
applet = 1
peer = 1
"#;

/// The virtual time at which a run of a single applet ends at the latest: about 212 days, a day before the clock's end.
/// What begins before [`UNTIL`] and takes less than a day has a time that the clock can show.
pub const UNTIL: SimTime = SimTime::from_ps(u64::MAX - DAY_PS);

const DAY_PS: u64 = 24 * 60 * 60 * 1_000_000_000_000;

/// Returns a scenario without sends, in which the applet has one channel, with the same number at both ends.
///
/// The peer's NIC and the wire take no time, so a packet from the peer arrives at once. If the applet's NIC has no room
/// for a packet, the packet waits at the sender.
#[must_use]
pub fn alone(class: ClassSpec, channel: ChannelId) -> Scenario {
    let mut scenario = parse(TEXT.as_bytes(), None, None).expect("a test reads it");
    let network = instant(&scenario.profile);
    for link in &mut scenario.links {
        link.wire = network.wire;
    }
    scenario.nics[NicId(1)].profile = Some(Arc::new(network));
    for joined in &mut scenario.channels {
        joined.a.1 = channel;
        joined.b.1 = channel;
    }
    scenario.classes = vec![class];
    scenario.endpoints[APPLET].class = Some(0);
    scenario.until = UNTIL;
    scenario.events_max = limits::EVENTS_MAX;
    scenario.bytecodes_max = limits::BYTECODES_MAX;
    scenario
}

/// Sets static fields of the applet before its static initializer runs, each given as `WINDOW=8` or `KEYS=[1, 2]`.
///
/// # Errors
///
/// Returns an error message about the first field that cannot be set.
pub fn set_state(scenario: &mut Scenario, given: &[String]) -> Result<(), String> {
    let spec = &mut scenario.endpoints[APPLET];
    for given in given {
        let Some(state) = state::field_state(&scenario.classes[0].bytes, given)? else {
            // The run of the scenario will report that the class file is invalid.
            continue;
        };
        if spec.state.iter().any(|known| known.field == state.field) {
            return Err(format!("expected each field once, found {given:?}"));
        }
        spec.state.push(state);
    }
    state::check_fits(&spec.state, spec.heap.into()).map_err(|kind| kind.to_string())
}

/// Returns a profile whose host, NIC and wire take no time. The profile's longest packet is that of the profile `of`.
fn instant(of: &Profile) -> Profile {
    const NONE: SimDuration = SimDuration::ZERO;
    // At the rate `AT_ONCE` each transfer takes one picosecond, the shortest time of the clock.
    const AT_ONCE: NonZeroU64 = NonZeroU64::MAX;
    let mut instant = of.clone();
    instant.name = "instant".to_owned();
    instant.base = Some(BaseCosts {
        transmit: NONE,
        receive: NONE,
        poll: NONE,
    });
    instant.processor.place = Place::Nic;
    instant.dma = DmaProfile {
        bandwidth: AT_ONCE,
        to_host: AT_ONCE,
        request: NONE,
        with_wire: WithWire::Parallel,
        descriptor: 0,
        ..of.dma
    };
    instant.wire = WireProfile {
        bandwidth: AT_ONCE,
        latency: NONE,
        reorder_max: NONE,
        header: 0,
        min_frame: 0,
        gap: 0,
        cell: 0,
        flow: Flow::Hold,
        ..of.wire
    };
    instant.host = HostProfile {
        post: NONE,
        receive: NONE,
        upcall: NONE,
        bandwidth: AT_ONCE,
        ..of.host
    };
    instant
}

#[cfg(test)]
mod tests {
    use crate::run::Run;
    use nic_core::event::EndReason;

    use super::*;

    use crate::spec::SendSpec;

    #[test]
    fn a_packet_of_the_peer_arrives_at_the_applet_when_it_is_posted() {
        let class = ClassSpec {
            origin: "builtin:RawUnet".to_owned(),
            bytes: applets::RAW_UNET.class.to_vec(),
        };
        let mut scenario = alone(class, ChannelId(7));
        let at = SimTime::from_ps(1_000_000_000);
        scenario.sends.push(SendSpec {
            table: 0,
            gap: None,
            endpoint: PEER,
            channel: ChannelId(7),
            at,
            payload: vec![1, 2, 3],
            tag: 0,
            immediate: None,
            segments: Vec::new(),
            repeat: 1,
            every: SimDuration::ZERO,
        });
        struct Arrival(Option<SimTime>);
        impl nic_core::event::Sink for Arrival {
            fn event(
                &mut self,
                _: &dyn nic_core::event::Names,
                event: &nic_core::event::Event<'_>,
            ) {
                if event.kind.roles().name == "wire-rx" {
                    self.0 = Some(event.time);
                }
            }
        }
        let mut arrival = Arrival(None);
        let (end, states) = Run::new(&scenario)
            .sink(&mut arrival)
            .keep_states()
            .execute()
            .expect("it can be run")
            .end_and_states();
        assert_eq!((end.reason, states[0].messages), (EndReason::Idle, 1));
        let late = arrival.0.expect("it arrives").since(at);
        assert!(late < SimDuration::from_ns(1), "{late:?}");
    }
}
